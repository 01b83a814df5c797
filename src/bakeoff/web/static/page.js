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
  const send = () => {
    const names = Array.from(files.files, (file) => file.name);
    if (!names.length) return;
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", (event) => {
      const share = event.lengthComputable ? ` ${Math.round((100 * event.loaded) / event.total)} %` : "";
      say(`Sending ${names.join(", ")}${share}; then it is read and compared.`);
    });
    request.addEventListener("load", () => {
      if (request.status < 300) location.assign(`/decide?of=${JSON.parse(request.responseText).of}`);
      else say(sentence(request));
    });
    request.addEventListener("error", () => say("The server does not answer. Is it still running?"));
    request.open("POST", "/api/v1/uploads");
    request.setRequestHeader("x-bakeoff-token", token);
    request.send(new FormData(drop));
  };
  const sentence = (request) => {
    try { return JSON.parse(request.responseText).error; } catch { return request.responseText; }
  };
  drop.addEventListener("submit", (event) => { event.preventDefault(); send(); });
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files.length) { files.files = event.dataTransfer.files; send(); }
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
  let wait = 0;
  const ask = async () => {
    const words = new URLSearchParams();
    for (const [name, value] of new FormData(controls)) if (value !== "") words.append(name, value);
    const address = `${controls.action.split("?")[0]}?${words}`;
    const answer = await fetch(address);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("main");
    const old = document.querySelector("main");
    if (!fresh || !fresh.querySelector(".wide")) { location.assign(address); return; }
    const opened = Array.from(old.querySelectorAll("details"), (each) => each.open);
    old.querySelector(".wide").replaceWith(fresh.querySelector(".wide"));
    const head = (main) => Array.from(main.children).filter((each) => !each.classList.contains("columns"));
    head(old).forEach((each) => each.remove());
    old.prepend(...head(fresh));
    old.querySelectorAll("details").forEach((each, place) => { each.open = opened[place] ?? each.open; });
    history.replaceState(null, "", address);
  };
  controls.addEventListener("input", (event) => {
    const target = event.target.dataset.for;
    if (target) controls.elements[target].value = event.target.value;
    clearTimeout(wait);
    wait = setTimeout(ask, event.target.type === "range" || event.target.type === "number" ? 120 : 0);
  });
  controls.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
}

// --- copying ---
document.addEventListener("click", async (event) => {
  const from = event.target.dataset && event.target.dataset.copy;
  if (!from) return;
  await navigator.clipboard.writeText(document.querySelector(from).textContent.trim());
  event.target.textContent = "Copied";
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
    const start = document.getElementById("start");
    if (start) {
      start.disabled = going(now.state) || now.state === "finished";
      document.getElementById("stop").disabled = !now.may_stop;
    }
    const said = document.getElementById("said");
    said.hidden = !now.said;
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
        for (const name of ["state", "ok", "failed", "left"]) put(row, name, now[name]);
        put(row, "time", now.left && now.seconds_left !== null ? duration(now.seconds_left) : "");
      }
    } finally { setTimeout(watch, 2000); }
  };
  watch();
}
