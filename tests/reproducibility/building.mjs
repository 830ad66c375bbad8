// Builds in Pyodide: node building.mjs DIRECTORY_OF_PYODIDE DIRECTORY_OF_HASHES SITE_ZIP PROJECT_ZIP BUILDING_PY
//
// Python's BLAKE3 is compiled, and not for this platform; a library of JavaScript's stands in for it.
import { readFileSync } from "node:fs";

const [directory, hashes, site, project, building] = process.argv.slice(2);
const script = `
import os, runpy, sys
from pathlib import Path

Path("/work/site/blake3.py").write_text('''
from javascript_hashes import blake3 as _hash
from pyodide.ffi import to_js

class blake3:
    def __init__(self, data):
        self._data = bytes(data)

    def hexdigest(self):
        return bytes(_hash(to_js(self._data)).to_py()).hex()
''')
for script in Path("/work/project").rglob("*.sh"):
    script.chmod(0o755)  # an archive of Python's does not keep it
sys.path.insert(0, "/work/site")
sys.argv = ["building.py", "/work/project", "/work/out"]
os.environ["SKILLPACK_CACHE_DIR"] = "/dev/null"
runpy.run_path("/work/building.py", run_name="__main__")
`;
try {
  const { loadPyodide } = await import(`${directory}/pyodide.mjs`);
  const { blake3 } = await import(`${hashes}/blake3.js`);
  const python = await loadPyodide();
  python.registerJsModule("javascript_hashes", { blake3: (bytes) => blake3(bytes) });
  python.FS.mkdirTree("/work/project");
  python.FS.mkdirTree("/work/site");
  python.unpackArchive(new Uint8Array(readFileSync(site)), "zip", { extractDir: "/work/site" });
  python.unpackArchive(new Uint8Array(readFileSync(project)), "zip", { extractDir: "/work/project" });
  python.FS.writeFile("/work/building.py", new Uint8Array(readFileSync(building)));
  python.runPython(script);
} catch (error) {
  console.error(error.message ?? error); // without the text of all of Pyodide around it
  process.exit(1);
}
