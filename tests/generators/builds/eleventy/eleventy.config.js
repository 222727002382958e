module.exports = () => ({ dir: { output: "_site" } });
