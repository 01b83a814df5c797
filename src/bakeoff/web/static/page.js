"use strict";
/* What the pages do by themselves: files are dropped, addresses stay short, settings answer at once, runs are watched.
   Everything works without it, except that a run is watched by loading the page again. */
const token = document.querySelector('meta[name="bakeoff-token"]').content;

// --- dropping files ---
const drop = document.getElementById("drop");
if (drop) {
  const files = document.getElementById("files");
  const state = document.getElementById("drop-state");
  const say = (text) => { state.textContent = text; };
  const most = Number(drop.dataset.most);
  // Each is a file and its path: of a folder, files keep their place, since folders often name what is compared.
  const send = (chosen) => {
    if (!chosen.length) { say("Choose one or several files first."); return; }
    const size = chosen.reduce((sum, [file]) => sum + file.size, 0);
    if (size > most) { say(`These are ${(size / 2 ** 20).toFixed(1)} MB, and at most ${Math.round(most / 2 ** 20)} MB can be dropped at once. Put them into the folder that is served instead.`); return; }
    const what = chosen.length > 4 ? `${chosen.length} files` : chosen.map(([file]) => file.name).join(", ");
    const form = new FormData();
    for (const [file, path] of chosen) form.append("files", file, path);
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", (event) => {
      const share = event.lengthComputable ? ` ${Math.round((100 * event.loaded) / event.total)} %` : "";
      say(`Sending ${what}${share}; then it is read and compared.`);
    });
    request.addEventListener("load", () => {
      if (request.status < 300) location.assign(`/decide?of=${JSON.parse(request.responseText).of}`);
      else say(sentence(request));
    });
    request.addEventListener("error", () => say("The server does not answer. Is it still running?"));
    request.open("POST", "/api/v1/uploads");
    request.setRequestHeader("x-bakeoff-token", token);
    request.send(form);
  };
  const sentence = (request) => {
    try { return JSON.parse(request.responseText).error; } catch { return request.responseText; }
  };
  const own = (list) => Array.from(list, (file) => [file, file.webkitRelativePath || file.name]);
  const inside = async (entry, path) => {
    if (entry.isFile) return [[await new Promise((done, failed) => entry.file(done, failed)), path + entry.name]];
    const reader = entry.createReader();
    const found = [];
    for (;;) { // a folder is told in portions
      const part = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!part.length) break;
      for (const each of part) if (!each.name.startsWith(".")) found.push(...await inside(each, `${path}${entry.name}/`));
    }
    return found;
  };
  const dropped = async (transfer) => {
    const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry && item.webkitGetAsEntry());
    if (!entries.some((entry) => entry && entry.isDirectory)) { send(own(transfer.files)); return; }
    say("Looking into the folders.");
    const found = [];
    for (const entry of entries) if (entry) found.push(...await inside(entry, ""));
    send(found);
  };
  drop.noValidate = true; // it is said here what is missing
  drop.addEventListener("submit", (event) => { event.preventDefault(); send(own(files.files)); });
  files.addEventListener("change", () => { say(files.files.length > 1 ? `${files.files.length} files are chosen.` : ""); });
  const whole = document.getElementById("dir");
  document.getElementById("whole").hidden = false;
  whole.addEventListener("change", () => send(own(whole.files)));
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.items.length) dropped(event.dataTransfer);
    });
  }
}

// --- forms whose address says only what was changed ---
for (const form of document.querySelectorAll("form.sparse")) {
  form.addEventListener("submit", () => {
    for (const field of form.elements) if (field.name && field.value === "") field.disabled = true;
  });
  window.addEventListener("pageshow", () => {
    for (const field of form.elements) if (field.name) field.disabled = false;
  });
}

// --- settings that answer at once ---
const controls = document.getElementById("controls");
if (controls) {
  const box = controls.querySelector("details");
  if (matchMedia("(max-width: 60rem)").matches) box.open = false; // the answer first, where there is no room beside it
  let wait = 0;
  let asking = null;
  const ask = async () => {
    if (asking) asking.abort(); // only the last question is of interest
    asking = new AbortController();
    const words = new URLSearchParams();
    for (const [name, value] of new FormData(controls)) if (value !== "") words.append(name, value);
    const address = `${controls.action.split("?")[0]}?${words}`;
    const wide = document.querySelector(".wide");
    wide.setAttribute("aria-busy", "true");
    let page;
    try {
      const answer = await fetch(address, { signal: asking.signal });
      page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch (error) {
      if (error.name === "AbortError") return;
      location.assign(address); // the browser says what is wrong
      return;
    }
    const fresh = page.querySelector("main");
    const old = document.querySelector("main");
    if (!fresh || !fresh.querySelector(".wide")) { location.assign(address); return; }
    const opened = Array.from(wide.querySelectorAll("details"), (each) => each.open);
    wide.replaceWith(fresh.querySelector(".wide"));
    const head = (main) => Array.from(main.children).filter((each) => !each.classList.contains("columns"));
    head(old).forEach((each) => each.remove());
    old.prepend(...head(fresh));
    old.querySelectorAll(".wide details").forEach((each, place) => { each.open = opened[place] ?? each.open; });
    for (const part of controls.querySelectorAll("[data-part]")) { // controls that there are for some answers only
      const now = fresh.querySelector(`[data-part="${part.dataset.part}"]`);
      if (now) part.hidden = now.hidden;
    }
    history.replaceState(null, "", address);
  };
  controls.addEventListener("input", (event) => {
    const target = event.target.dataset.for;
    if (target) controls.elements[target].value = event.target.value;
    const slider = controls.querySelector(`[data-for="${event.target.name}"]`);
    if (slider && event.target.value) slider.value = event.target.value;
    clearTimeout(wait);
    wait = setTimeout(ask, ["range", "number", "text"].includes(event.target.type) ? 120 : 0);
  });
  controls.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
}

// --- a study file: the numbers that a scheme takes ---
const scheme = document.getElementById("scheme");
if (scheme) {
  const fit = () => {
    for (const each of document.querySelectorAll("[data-schemes]")) each.hidden = !each.dataset.schemes.split(" ").includes(scheme.value);
  };
  scheme.addEventListener("change", fit);
  fit();
}

// --- what is sent is sent once ---
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post" || event.defaultPrevented) return;
  if (event.target.dataset.sent) { event.preventDefault(); return; }
  event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => { for (const form of document.forms) delete form.dataset.sent; });

// --- files that are ticked ---
const together = document.getElementById("together");
if (together) {
  const count = () => { together.disabled = !together.form.querySelector("input:checked"); };
  together.form.addEventListener("change", count);
  window.addEventListener("pageshow", count);
}

// --- copying ---
document.addEventListener("click", async (event) => {
  const from = event.target.dataset && event.target.dataset.copy;
  if (!from) return;
  const text = document.querySelector(from);
  try {
    await navigator.clipboard.writeText(text.textContent.trim());
    event.target.textContent = "Copied";
  } catch { // a browser gives the clipboard to safe addresses only: the text is marked, to be copied by hand
    getSelection().selectAllChildren(text);
    event.target.textContent = "Marked: copy it with Ctrl-C";
  }
});

// --- a run that is watched ---
const duration = (seconds) => {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3600 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
};
const put = (box, name, text) => {
  const place = box.querySelector(`[data-field="${name}"]`);
  if (place && place.textContent !== String(text)) place.textContent = text;
};
const live = document.getElementById("live");
if (live) {
  const going = (state) => ["running", "starting", "stopping"].includes(state);
  let before = live.querySelector('[data-field="state"]').textContent;
  // Failures are told while the run goes on; those that somebody reads stay open.
  const tellFailures = async (failed) => {
    const box = document.getElementById("failing");
    if (String(failed) === box.dataset.failed) return;
    const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
    const fresh = page.getElementById("failing");
    const place = (details) => details.querySelector("pre").textContent;
    const opened = new Set(Array.from(box.querySelectorAll("details[open]"), place));
    fresh.querySelectorAll("details").forEach((each) => { each.open = opened.has(place(each)); });
    box.replaceWith(fresh);
  };
  // To be heard now and then, and not with every cell: at each tenth, at a change of state, at the first failure.
  let heard = "";
  const tell = (now) => {
    const tenth = now.cells ? Math.floor((10 * (now.ok + now.failed)) / now.cells) : 0;
    const news = `${now.state} ${tenth} ${now.failed > 0}`;
    if (heard && news !== heard) document.getElementById("told").textContent = `${now.state}: ${now.ok} of ${now.cells} cells done, ${now.failed} failed`;
    heard = news;
  };
  const watch = async () => {
    let now;
    try { now = await (await fetch(`/api/v1/studies/${live.dataset.study}`)).json(); } catch { setTimeout(watch, 3000); return; }
    for (const name of ["state", "ok", "cells", "failed", "left"]) put(live, name, now[name]);
    put(live, "rate", now.per_second ? ` · ${now.per_second.toPrecision(2)} cells a second` : "");
    put(live, "time", now.left && now.seconds_left !== null ? ` · about ${duration(now.seconds_left)} left` : "");
    const bar = live.querySelector("progress");
    bar.max = now.cells || 1;
    bar.value = now.ok + now.failed;
    const cells = live.querySelectorAll("#grid td");
    if (cells.length !== now.parts.length) { location.reload(); return; }
    now.parts.forEach((part, place) => {
      const text = part.failed ? `${part.ok} / ${part.failed}` : String(part.ok);
      const share = Math.floor((10 * (part.ok + part.failed)) / (part.cells || 1));
      cells[place].className = `share share-${share}${part.failed ? " failing" : ""}`;
      if (cells[place].textContent !== text) cells[place].textContent = text;
    });
    if (now.ok) document.querySelectorAll(".tabs a").forEach((each) => { each.hidden = false; });
    await tellFailures(now.failed);
    const start = document.getElementById("start");
    if (start) {
      start.disabled = going(now.state) || ["finished", "decided", "not readable"].includes(now.state);
      document.getElementById("stop").disabled = !now.may_stop;
      document.getElementById("again").hidden = !now.failed || going(now.state);
      document.getElementById("elsewhere").hidden = !now.elsewhere;
    }
    document.getElementById("onwards").hidden = !now.ok || going(now.state);
    document.getElementById("counts").hidden = !now.cells;
    tell(now);
    const said = document.getElementById("said");
    said.hidden = !now.said || now.state === "not readable";
    said.textContent = now.said;
    if (going(before) && !going(now.state)) { location.reload(); return; } // the failures, and the way to the verdict
    before = now.state;
    setTimeout(watch, going(now.state) ? 800 : 3000);
  };
  watch();
}
const list = document.getElementById("study-list");
if (list) {
  const watch = async () => {
    try {
      for (const now of await (await fetch("/api/v1/studies")).json()) {
        const row = list.querySelector(`[data-study="${now.id}"]`);
        if (!row) continue;
        put(row, "state", now.state);
        for (const name of ["ok", "failed", "left"]) put(row, name, now.cells ? now[name] : "–");
        put(row, "time", now.left && now.seconds_left !== null ? duration(now.seconds_left) : "");
      }
    } finally { setTimeout(watch, 2000); }
  };
  watch();
}
