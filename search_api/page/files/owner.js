// The owner's page: what visitors did not find, and a query beside two generations. All data needs the key.

const KEY = "searchsocket-key"; // of this tab's storage
const LISTS = [
  ["withoutResults", "Without results"],
  ["noCloseMatch", "No close match"],
  ["withoutClick", "Results that nobody opens"],
  ["refusedAnswers", "Questions without an answer in sentences"],
  ["unhelpfulAnswers", "Answers that did not help"],
  ["top", "Most searched"],
];
const PARTS = ["cosine", "bm25", "vector", "keyword", "page", "fused", "second", "links", "depth", "exact", "weight", "rerank"];

const api = document.body.dataset.api;
const find = (id) => document.getElementById(id);
const signIn = find("sign-in");
const tryForm = find("try");

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Ask the service with the key; a wrong key leads back to the form. */
async function call(path, parameters = {}, body = undefined) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
  const headers = { authorization: `Bearer ${sessionStorage.getItem(KEY)}` };
  if (body) headers["content-type"] = "application/json";
  const response = await fetch(`${api}/${path}?${query}`, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (response.status === 401) signOut();
  if (!response.ok) throw new Error(answer.error.message);
  return answer;
}

function show(isSignedIn) {
  signIn.hidden = isSignedIn;
  find("main").hidden = find("sign-out").hidden = !isSignedIn;
}

function signOut() {
  sessionStorage.removeItem(KEY);
  find("comparison").replaceChildren();
  find("demand").replaceChildren();
  show(false);
}

function fail(error) {
  find("problem").textContent = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
}

const scope = () => tryForm.elements.scope?.value ?? "";
const percent = (part, whole) => `${whole ? Math.round((100 * part) / whole) : 0} %`;
const number = (value) => value.toLocaleString("en");

async function loadDemand() {
  find("problem").textContent = "";
  const report = await call("demand", { days: find("days").value, scope: scope() });
  show(true);
  const { visitors, searches, unanswered, weak, clicked, queries, minVisitors, firstDay, lastDay } = report;
  find("demand-status").textContent = searches
    ? [
        `${firstDay} to ${lastDay}: ${number(searches)} searches by ${number(visitors)} visitors`,
        `${percent(unanswered, visitors)} found nothing`,
        `${percent(weak, visitors)} found no close match`,
        ...(clicked ? [`${percent(clicked, visitors)} opened a result`] : []),
        `queries of at least ${minVisitors} visitors on one day: ${number(queries)}`,
      ].join(" · ")
    : `No searches since ${firstDay}. With demand.enable, a query is listed once ${minVisitors} visitors have searched for it on one day.`;
  find("demand").replaceChildren(...LISTS.filter(([name]) => report[name].length).flatMap(([name, title]) => list(title, report[name], clicked > 0)));
}

function list(title, entries, hasClicks) {
  const heads = ["Query", "Visitors", ...(hasClicks ? ["Opened"] : []), "Pages", "Proposal"];
  const head = element("thead", {}, element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text))));
  const body = element("tbody", {}, ...entries.map((entry) => row(entry, hasClicks)));
  return [element("h3", {}, title), element("div", { className: "wide" }, element("table", {}, head, body))];
}

function row(entry, hasClicks) {
  const query = element("button", { type: "button", className: "query" }, entry.query);
  query.addEventListener("click", () => {
    tryForm.elements.q.value = entry.query;
    tryForm.requestSubmit();
    tryForm.scrollIntoView({ block: "start" });
  });
  const also = entry.variants.length ? [element("p", { className: "path" }, `also ${entry.variants.slice(0, 3).join(", ")}`)] : [];
  const pages = entry.nearest.map(({ url, confidence }) =>
    element("span", { className: "path" }, confidence === null ? url : `${url} ${confidence.toFixed(2)}`),
  );
  const { proposal } = entry;
  const cells = proposal
    ? [element("p", {}, `${proposal.kind}: ${proposal.summary}`), element("p", { className: "path" }, proposal.reason), snippet(proposal)]
    : [];
  return element(
    "tr",
    {},
    element("td", {}, query, ...also),
    count(number(entry.visitors), "visitors"),
    ...(hasClicks ? [count(percent(entry.clicked, entry.visitors), "opened a result")] : []),
    element("td", {}, ...pages),
    element("td", {}, ...cells),
  );
}

/** A number; narrow tables have no head, so the unit follows it there. */
function count(text, unit) {
  const cell = element("td", { className: "number" }, text);
  cell.dataset.unit = unit;
  return cell;
}

/** What a person adds to a file. */
function snippet({ file, text }, isOpen = false) {
  return element("details", { open: isOpen }, element("summary", {}, file), element("pre", {}, text.trim()));
}

async function compare() {
  find("problem").textContent = "";
  const { q, before, after } = tryForm.elements;
  const parameters = { q: q.value.trim(), before: before.value, after: after.value, scope: scope() };
  find("try-status").textContent = "Searching …";
  const comparison = await call("compare", parameters);
  const ranks = (side) => new Map((side.answer?.results ?? []).map(({ url }, index) => [url, index + 1]));
  const earlier = ranks(comparison.before);
  find("try-status").textContent = "";
  find("comparison").replaceChildren(
    column("Before", comparison.before, parameters.q, null),
    column("After", comparison.after, parameters.q, comparison.before.answer ? earlier : null),
  );
}

function column(title, { generation, answer, problem }, q, earlier) {
  const heading = element("h3", {}, `${title} `, element("span", { className: "section" }, generation));
  if (!answer) return element("div", {}, heading, element("p", { className: "note" }, problem));
  const words = { answered: "", weak: "No close match.", rejected: "No results." }[answer.quality];
  const rules = (answer.curation ?? []).map(({ rule, effect }) => `${effect} by ${rule}`).join(", ");
  const notes = [words, rules, ...answer.meta.notes.map((note) => note.message)].filter(Boolean).join(" · ");
  const items = answer.results.map((result, index) => item(result, index + 1, q, earlier));
  return element("div", {}, heading, ...(notes ? [element("p", { className: "note" }, notes)] : []), element("ol", {}, ...items));
}

function item(result, rank, q, earlier) {
  const pin = element("button", { type: "button", className: "quiet", title: `Show this page first for “${q}”` }, "Pin");
  const made = element(
    "li",
    {},
    element("span", { className: "rank" }, `${rank}`),
    element("div", {}, element("div", {}, result.title || result.url, " ", moved(rank, result.url, earlier)), element("p", { className: "path" }, result.url)),
    pin,
    parts(result),
  );
  pin.addEventListener("click", () => propose(q, result.url, pin, made).catch(fail));
  return made;
}

function moved(rank, url, earlier) {
  if (!earlier) return "";
  const before = earlier.get(url);
  if (before === rank) return "";
  const text = before ? `was ${before}` : "new";
  return element("span", { className: `moved ${before && before < rank ? "down" : "up"}` }, text);
}

function parts({ score, confidence, explanation }) {
  const rows = PARTS.filter((name) => explanation?.[name] != null).flatMap((name) => [
    element("dt", {}, name),
    element("dd", {}, explanation[name].toFixed(3)),
  ]);
  const summary = element("summary", {}, `score ${score.toFixed(3)}, confidence ${confidence.toFixed(2)}`);
  return element("details", {}, summary, element("dl", {}, ...rows));
}

async function propose(q, url, button, made) {
  button.disabled = true;
  const pin = await call("pins", {}, { q, url, ...(scope() ? { scope: scope() } : {}) });
  const command = element("p", { className: "path" }, `To pin it, add these lines to ${pin.file}:`);
  const details = snippet(pin, true);
  details.prepend(command);
  made.append(details);
}

signIn.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, signIn.elements.key.value.trim());
  signIn.reset();
  loadDemand().catch(fail);
});
tryForm.addEventListener("submit", (event) => {
  event.preventDefault();
  compare().catch((error) => {
    find("try-status").textContent = "";
    fail(error);
  });
});
find("days").addEventListener("change", () => loadDemand().catch(fail));
tryForm.elements.scope?.addEventListener("change", () => loadDemand().catch(fail));
find("sign-out").addEventListener("click", signOut);
if (sessionStorage.getItem(KEY)) loadDemand().catch(fail);
