// Search over all sections, from a file beside this one: it works without a server and asks nobody.
(() => {
  const form = document.querySelector(".search");
  const input = form.querySelector("input");
  const list = form.querySelector("ul");
  const root = form.dataset.root;
  const most = 12;
  let chosen = -1;

  const narrow = matchMedia("(max-width: 52rem)");
  const menu = document.querySelector("nav.pages details");
  if (narrow.matches) menu.open = false;
  narrow.addEventListener("change", () => { menu.open = !narrow.matches; });

  const load = () => {
    if (window.sections || document.getElementById("sections")) return;
    const script = document.createElement("script");
    script.id = "sections";
    script.src = root + "sections.js";
    script.onload = () => { if (input.value) answer(); };
    document.head.append(script);
  };

  // All words must be there; a title counts more than a heading, and that more than the text.
  const found = (words) => window.sections
    .map((section) => {
      const [page, heading, address, text] = section;
      let points = 0;
      for (const word of words) {
        const here = (page.toLowerCase().includes(word) ? 8 : 0)
          + (heading.toLowerCase().split(/[^\p{L}\p{N}]+/u).includes(word) ? 20 : heading.toLowerCase().includes(word) ? 10 : 0)
          + Math.min(4, text.toLowerCase().split(word).length - 1);
        if (!here) return null;
        points += here;
      }
      return { points, page, heading, address, text };
    })
    .filter(Boolean)
    .sort((a, b) => b.points - a.points)
    .slice(0, most);

  const marked = (text, words) => {
    const at = Math.max(0, Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((i) => i >= 0), text.length) - 40);
    const part = (at ? "… " : "") + text.slice(at, at + 150);
    const piece = document.createElement("small");
    const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "gi");
    part.split(pattern).forEach((bit, i) => {
      if (i % 2) { const mark = document.createElement("mark"); mark.textContent = bit; piece.append(mark); } else piece.append(bit);
    });
    return piece;
  };

  const close = () => { list.hidden = true; chosen = -1; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };

  const answer = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length || !window.sections) { close(); return; }
    const hits = found(words);
    list.replaceChildren(...hits.map((hit, i) => {
      const item = document.createElement("li");
      item.id = `answer-${i}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      const link = document.createElement("a");
      link.href = root + hit.address;
      link.tabIndex = -1;
      link.append(hit.heading === hit.page ? hit.page : `${hit.heading} — ${hit.page}`, marked(hit.text, words));
      item.append(link);
      return item;
    }));
    if (!hits.length) {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = "Nothing found; try fewer words.";
      list.append(none);
    }
    chosen = -1;
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
  };

  const choose = (step) => {
    const items = list.querySelectorAll("[role=option]");
    if (!items.length) return;
    chosen = (chosen + step + items.length) % items.length;
    items.forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
    items[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", items[chosen].id);
  };

  input.addEventListener("focus", load);
  input.addEventListener("input", () => { load(); answer(); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") { choose(1); event.preventDefault(); }
    if (event.key === "ArrowUp") { choose(-1); event.preventDefault(); }
    if (event.key === "Escape") { input.value = ""; close(); }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const links = list.querySelectorAll("a");
    if (links.length) location.href = links[Math.max(0, chosen)].href;
  });
  document.addEventListener("click", (event) => { if (!form.contains(event.target)) close(); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) { input.focus(); event.preventDefault(); }
  });
})();
