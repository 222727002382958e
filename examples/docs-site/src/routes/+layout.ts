export const prerender = true;
// Pages need no script: tabs and details are plain HTML, links are links.
export const csr = false;
