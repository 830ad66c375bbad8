// The page of an agent that has its skills in the browser: no server is asked for a skill or for a file of one.
import { loadPyodide } from "./node_modules/pyodide/pyodide.mjs";

const WHEEL = "dist/quickstart-0.1.0-py3-none-any.whl";

const element = (id) => document.getElementById(id);

export const python = await loadPyodide();
const wheel = await fetch(WHEEL);
if (!wheel.ok) {
  element("state").textContent = `There is no ${WHEEL}: see the README.`;
  throw new Error(`${WHEEL}: ${wheel.status}`);
}
python.unpackArchive(await wheel.arrayBuffer(), "wheel");
const { bundle } = python.pyimport("quickstart.skills");

function buttons(id, labels, act) {
  element(id).replaceChildren(
    ...labels.map((label) => {
      const button = document.createElement("button");
      button.textContent = label;
      button.onclick = () => act(label);
      return button;
    }),
  );
}

function showText(text) {
  const shown = document.createElement("pre");
  shown.textContent = text;
  element("shown").replaceChildren(shown);
}

function showSkill(name) {
  showText(bundle.load(name));
  buttons("resources", [...bundle.get(name).resources], (path) => showResource(name, path));
}

function showResource(name, path) {
  const file = bundle.get(name).file(path);
  if (file.is_text || !file.media_type.startsWith("image/")) {
    showText(bundle.read(name, path));
    return;
  }
  const picture = document.createElement("img");
  picture.alt = `${path}, ${file.size} bytes`;
  picture.src = URL.createObjectURL(new Blob([file.bytes().toJs()], { type: file.media_type }));
  element("shown").replaceChildren(picture);
}

buttons("skills", [...bundle.names], showSkill);
showText(bundle.catalog());
element("state").textContent = `${bundle.names.length} skills, Python ${python.runPython("import platform; platform.python_version()")}`;
