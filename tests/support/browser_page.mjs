// Uses examples/browser as a person would, and then as `pyodide_node.mjs` does:
// node browser_page.mjs DIRECTORY_OF_PLAYWRIGHT CHROMIUM URL WHEEL_URL SCREENSHOT
//
// Standard output is a JSON object: what can be read after each step, and what the package in the wheel answers.
const [directory, chromium, url, wheel, screenshot] = process.argv.slice(2);
const { default: playwright } = await import(`${directory}/index.js`);

const browser = await playwright.chromium.launch({
  executablePath: chromium,
  // no sandbox, for this may run as root; no requests of the browser's own
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run"],
});
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => request.url().startsWith(url) || request.url().startsWith("blob:")
    || request.url().startsWith("data:") || problems.push(`asked for ${request.url()}`));
  const visible = () => page.locator("body").innerText();
  const press = (name) => page.getByRole("button", { name, exact: true }).click();

  await page.goto(url);
  await page.getByRole("button").first().or(page.getByText("see the README")).waitFor();
  const steps = [await visible()];
  for (const button of ["commit-message", "references/types.md", "status-page", "assets/degraded.png"]) {
    await press(button);
    steps.push(await visible());
  }
  const picture = await page.locator("img").evaluate(async (image) => {
    await image.decode();
    return [image.alt, image.naturalWidth, image.naturalHeight];
  });
  await press("commit-message");
  await page.screenshot({ path: screenshot, fullPage: true });
  const shown = await visible();

  const report = await page.evaluate(async (wheel) => {
    const { python } = await import("./page.js");
    const lines = [];
    python.setStdout({ batched: (line) => lines.push(line) });
    python.unpackArchive(await (await fetch(wheel)).arrayBuffer(), "wheel");
    python.runPython("import warnings; warnings.simplefilter('error')");
    python.pyimport("traveller.__main__").main();
    return lines.join("\n");
  }, wheel);
  console.log(JSON.stringify({ steps, picture, shown, problems, report }));
} finally {
  await browser.close();
}
