// Opens what a reader can open; returns the text of the main content, of the theme's parts in it, and lines of navigation.
(selector) => {
  const all = (chosen) => [...document.querySelectorAll(chosen)].filter((one) => !one.parentElement?.closest(chosen));
  // Where a generator names the element with the author's text, the rest of `main` is the theme: banners, links to edit, dates.
  const authors = ".theme-doc-markdown, .vp-doc, .sl-markdown-content, [itemprop=articleBody], .rspress-doc, .md-content__inner, article.doc, .bd-article, .page-inner";
  const outer = all(selector);
  const inner = all(authors).filter((one) => outer.some((around) => around.contains(one)));
  const main = inner.length ? inner : outer;
  const inside = (element) => main.some((one) => one.contains(element));
  const lines = (elements) => elements.flatMap((one) => one.innerText.split("\n")).map((line) => line.trim()).filter(Boolean);
  const navigation = lines([...document.querySelectorAll("nav, [role=navigation], header, footer")].filter((one) => one.tagName === "NAV" || !inside(one)));
  const shown = (element) => {
    element.removeAttribute("hidden");
    element.style.setProperty("display", "block", "important");
    element.style.setProperty("visibility", "visible", "important");
    element.style.setProperty("max-height", "none", "important");
    element.style.setProperty("height", "auto", "important");
  };
  // Parts of themes inside the main content, as their generators name them.
  const theme = [
    "header, footer, #header, #footer, .footer, .header, .edit-this-page, .last-updated, .lastUpdated", // frames of the page
    ".navheader, .navfooter, .toc, .contents, .shortcontents, #toc, .minitoc, .tableofcontents, .prev-next-area, .page-nav, .pagination", // to other pages and sections
    "#column2, .picker, .picker-header, details#toc, .docs__nav, .sidebar, #sidebar, .side-nav, #extras, #contentinfo, .related", // columns and menus
    "#banner, #about, #menu, .tsd-theme-toggle, .tsd-sources, .srclink", // bars, and links to source code
    ".lang, .gutter, .line-numbers, .linenos, .lineno, .copy, .sr-only, .visually-hidden, button.copybtn", // labels and numbers of code
  ].join(", ");
  const parts = [];
  for (const root of main) {
    root.querySelectorAll("details").forEach((one) => (one.open = true));
    root.querySelectorAll("[role=tabpanel], .tab-pane, .tabbed-block, .tabbed-content, .sd-tab-content, .tab-content, .tab-content > *").forEach(shown);
    root.querySelectorAll("[aria-controls]").forEach((one) => {
      const target = document.getElementById(one.getAttribute("aria-controls"));
      if (target && inside(target) && !target.contains(one) && target.tagName !== "NAV" && !target.closest("[role=menu], [role=listbox], dialog")) shown(target);
    });
    root.querySelectorAll("nav, [role=navigation], [role=search], [role=toolbar], form input, select, textarea").forEach((one) => one.remove());
    parts.push(...[...root.querySelectorAll(theme)].filter((one) => !one.parentElement.closest(theme) && !(one.matches("header:not(#banner), .header") && one.querySelector("h1"))).map((one) => one.innerText));
  }
  return { main: main.map((one) => one.innerText).join("\n"), parts: parts.join("\n"), navigation };
}
