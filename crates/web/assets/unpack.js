
// Unpacks the script of an exported page and runs it.
(async () => {
  try {
    const packed = Uint8Array.from(atob(document.getElementById("polhode-script").textContent), (c) => c.charCodeAt(0));
    const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const script = document.createElement("script");
    script.textContent = await new Response(plain).text();
    document.body.append(script);
  } catch (error) {
    document.getElementById("app").textContent = `This browser cannot unpack the page; one from 2023 or later can. (${error.message})`;
  }
})();
