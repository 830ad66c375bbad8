// Prints what the package in a wheel answers in Pyodide: node pyodide_node.mjs DIRECTORY_OF_PYODIDE WHEEL
//
// The wheel is imported as the zip that it is, from Pyodide's file system in memory: no directory of this machine is
// mounted there.
import { readFileSync } from "node:fs";

const [directory, wheel] = process.argv.slice(2);
const { loadPyodide } = await import(`${directory}/pyodide.mjs`);
const python = await loadPyodide();

function types(mount) {
  return [mount.type, ...mount.mounts.flatMap((below) => (below.type ? types(below) : []))];
}
if (types(python.FS.root.mount).includes(python.FS.filesystems.NODEFS)) {
  throw new Error("a directory of this machine is mounted");
}

python.FS.writeFile("traveller.whl", readFileSync(wheel));
python.runPython(`
import sys, warnings
warnings.simplefilter("error")
sys.path.insert(0, "traveller.whl")
from traveller.__main__ import main
main()
`);
