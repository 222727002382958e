// Answers while words are typed, from the same API that everybody asks. Without it the form still works.

const form = document.querySelector("#search");
const box = form.elements.q;
const list = document.querySelector("#results");
const line = document.querySelector("#status");
const more = document.querySelector("#more");
const generation = document.querySelector("#generation");
const facets = form.dataset.facets.split(" ").filter(Boolean);
const PAUSE_MS = 150;
const FOLLOW_MS = 1000;
const ALIKE_SHOWN = 3; // as in the page itself
const KEPT = new Set(["MARK", "PRE", "CODE", "BR", "P", "UL", "OL", "LI", "EM", "STRONG", "SPAN"]);

let newest = null; // the request whose answer is wanted
let timer = 0;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** The snippet as nodes: the service escaped it, and here too nothing but its few plain elements gets into the page. */
function snippet(html) {
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return [node.data];
    const inside = [...node.childNodes].flatMap(copy);
    return KEPT.has(node.nodeName) ? [element(node.nodeName, {}, ...inside)] : inside;
  };
  const parsed = new DOMParser().parseFromString(html, "text/html");
  return element("div", { className: "snippet" }, ...[...parsed.body.childNodes].flatMap(copy));
}

/** Where a result leads: to the site, or to its text where nobody has said where the site is. */
function address(href, url, origin) {
  if (origin?.site) return origin.site + href;
  if (origin) return `sites/${origin.project}/?${new URLSearchParams({ page: url })}`;
  if (form.dataset.site) return form.dataset.site + href;
  const scope = form.elements.scope ? { scope: form.elements.scope.value } : {};
  return `?${new URLSearchParams({ page: url, ...scope })}`;
}

function item(result) {
  const { origin } = result; // of several sites
  const title = element("h2", {}, element("a", { href: address(result.href, result.url, origin) }, result.title || result.url));
  if (result.sectionTitle && result.sectionTitle !== result.title) {
    title.append(" ", element("span", { className: "section" }, result.sectionTitle));
  }
  const made = element("li", {}, element("p", { className: "path" }, origin ? `${origin.title} · ${result.url}` : result.url), title, snippet(result.snippetHtml));
  made.dataset.url = result.url;
  if (origin) made.dataset.project = origin.project;
  const others = result.sections.filter((section) => section.anchor !== result.anchor);
  if (others.length) {
    const links = others.map((section) =>
      element("li", {}, element("a", { href: address(section.href, result.url, origin) }, section.title || result.title)),
    );
    made.append(element("ul", { className: "sections" }, ...links));
  }
  if (result.alike.length) {
    const links = result.alike.slice(0, ALIKE_SHOWN).map((page) =>
      element("li", {}, element("a", { href: address(page.href, page.url, origin) }, page.url)),
    );
    made.append(element("ul", { className: "sections" }, element("li", {}, `and ${result.alike.length} similar:`), ...links));
  }
  if (result.routeFile) made.append(element("p", { className: "file" }, result.routeFile));
  return made;
}

function ago(seconds) {
  for (const [unit, length] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    const count = Math.floor(seconds / length);
    if (count) return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return "just now";
}

/** A commit as people read it, with its `-dirty`. */
function short(revision) {
  return revision.replace(/^([0-9a-f]{8})[0-9a-f]*/, "$1");
}

function values() {
  return [...new FormData(form)].filter(([, value]) => value.trim());
}

function isFiltered() {
  return values().some(([name]) => name !== "q" && name !== "scope");
}

function fillFacets(counts) {
  for (const select of form.querySelectorAll("select[data-facet]")) {
    const facet = select.dataset.facet;
    const chosen = select.value;
    const known = Object.entries(counts?.[facet] ?? {});
    const options = known.map(([value, pages]) => new Option(`${value} (${pages})`, `${facet}:${value}`));
    if (chosen && !options.some((option) => option.value === chosen)) {
      options.unshift(new Option(chosen.slice(facet.length + 1), chosen));
    }
    select.replaceChildren(new Option("any", ""), ...options);
    select.value = chosen;
  }
}

/** The versions of the site; the default is searched if none is chosen. */
function fillVersions(versions) {
  const select = form.elements.version;
  select.parentElement.hidden = !versions && !select.value;
  if (!versions) return;
  const chosen = select.value;
  const others = versions.available.filter(({ name }) => !versions.default.includes(name));
  const options = others.map(({ name, title }) => new Option(title || name, name));
  select.replaceChildren(new Option(versions.default.join(", ") || "all", ""), ...options);
  select.value = chosen;
}

function show(answer) {
  const { results, total, meta } = answer;
  list.className = "";
  list.replaceChildren(...results.map(item));
  const isAll = results.length === total;
  const count = isAll ? `${total} ${total === 1 ? "page" : "pages"}` : `1–${results.length} of the ${total} best pages`;
  const further = `?${new URLSearchParams([...values(), ["offset", results.length]])}`;
  more.replaceChildren(...(isAll ? [] : [element("a", { href: further, rel: "next" }, "More results")]));
  const none = `No results for “${answer.q}”${isFiltered() ? " with these filters" : ""}. Try other words.`;
  // The page asks for every facet, so one that no page states is no news.
  const notes = meta.notes.filter((note) => note.code !== "FACET_NOT_INDEXED").map((note) => note.message);
  const found = answer.quality === "weak" ? `No close match: ${count}` : count;
  line.textContent = [results.length ? found : none, ...notes].join(" · ");
  generation.textContent =
    `${answer.sites?.map((site) => site.title).join(", ") ?? answer.scope} · generation ${meta.generation}` +
    (meta.sourceRevision ? ` of commit ${short(meta.sourceRevision)}` : "") +
    `, published ${ago(meta.ageSeconds)} · ` +
    `${meta.timingsMs.total.toFixed(1)} ms`;
  fillFacets(answer.facets);
  fillVersions(answer.versions);
}

function fail(message) {
  list.replaceChildren();
  more.replaceChildren();
  list.className = "failed";
  line.textContent = message;
}

async function ask() {
  newest?.abort();
  newest = null;
  const asked = values();
  history.replaceState(null, "", asked.length ? `?${new URLSearchParams(asked)}` : "./");
  if (!box.value.trim()) {
    list.replaceChildren();
    more.replaceChildren();
    list.className = line.textContent = "";
    list.removeAttribute("aria-busy");
    return;
  }
  document.title = `${box.value.trim()} · ${box.placeholder}`;
  const request = (newest = new AbortController());
  list.setAttribute("aria-busy", "true");
  const query = new URLSearchParams([...asked, ...facets.map((name) => ["facet", name])]);
  try {
    const response = await fetch(`${form.dataset.api}?${query}`, { signal: request.signal });
    const answer = await response.json();
    if (newest === request) response.ok ? show(answer) : fail(answer.error.message);
  } catch (error) {
    if (newest === request) fail("The search service cannot be reached.");
  }
  if (newest === request) list.removeAttribute("aria-busy");
}

function askSoon() {
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE_MS);
}

function move(step) {
  const links = [...list.querySelectorAll("h2 a")];
  const at = links.indexOf(document.activeElement);
  if (!links.length || (at === -1 && step < 0)) return;
  (at + step < 0 ? box : links[Math.min(at + step, links.length - 1)]).focus();
}

form.addEventListener("input", askSoon);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  ask();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.matches("input, select, summary");
  if (event.key === "/" && !isTyping) box.focus();
  else if (event.key === "Escape" && event.target === box) return;
  else if (event.key === "Escape") box.focus();
  else if (event.key === "ArrowDown" && (!isTyping || event.target === box)) move(1);
  else if (event.key === "ArrowUp" && !isTyping) move(-1);
  else return;
  event.preventDefault();
});
// Which result was opened, for the owner's report: the query and the page, nothing else.
list.addEventListener("click", (event) => {
  const { url, project } = (event.target.closest("a") && event.target.closest("#results > li")?.dataset) || {};
  if (!url || !form.dataset.beacon || navigator.globalPrivacyControl) return;
  const scope = form.elements.scope ? { scope: form.elements.scope.value } : {};
  navigator.sendBeacon(form.dataset.beacon, JSON.stringify({ q: box.value.trim(), url, project, ...scope }));
});
addEventListener("popstate", () => location.reload());

// While somebody works on the site the index changes: what is shown is asked for again then.
let generations;
async function follow() {
  if (document.hidden) return;
  try {
    const health = await (await fetch(form.dataset.health)).json();
    const found = health.scopes.map((scope) => scope.generation).join(" ");
    if (generations !== undefined && generations !== found) ask();
    generations = found;
  } catch {
    // The service is being started again.
  }
}
if (form.dataset.health) {
  follow();
  setInterval(follow, FOLLOW_MS);
}
