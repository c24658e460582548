/** The script of the API reference: the filter, the language of the examples, and requests with the reader's own token. */
import { sha256Bytes } from "../../infra/crypto/digest.ts"

/**
 * The token stays in this tab and is sent only to this server. The address of the API is that of the page, without its own
 * path, so that a path prefix works.
 */
export const docsScript = `
"use strict";
(() => {
  const filter = document.getElementById("filter");
  const entries = document.querySelectorAll("[data-find]");
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
    for (const one of entries) one.hidden = !words.every((word) => one.dataset.find.includes(word));
    for (const group of document.querySelectorAll("[data-group]")) {
      group.hidden = words.length > 0 && group.querySelector("[data-find]:not([hidden])") === null;
    }
  };
  filter.addEventListener("input", apply);
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (event.key === "/" && !isTyping) { event.preventDefault(); filter.focus(); }
  });
  apply();

  const tabs = document.querySelectorAll(".tabs > input");
  const languageOf = (tab) => tab.labels[0].textContent;
  const select = (language) => {
    for (const tab of tabs) if (languageOf(tab) === language) tab.checked = true;
  };
  select(localStorage.getItem("orgplane-language"));
  for (const tab of tabs) {
    tab.addEventListener("change", () => {
      const before = tab.getBoundingClientRect().top;
      localStorage.setItem("orgplane-language", languageOf(tab));
      select(languageOf(tab));
      // Examples above have a new height, but the selected one stays where it is.
      scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
    });
  }

  const base = location.pathname.replace(/\\/(v1\\/)?docs\\/?$/, "");
  const token = document.getElementById("token");
  // The list of all operations sends nothing.
  if (token === null) return;
  token.closest("label").hidden = false;
  token.value = sessionStorage.getItem("orgplane-token") ?? "";
  token.addEventListener("input", () => sessionStorage.setItem("orgplane-token", token.value));

  const element = (name, properties, ...children) => {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  };
  const send = async (method, target, body, output) => {
    const headers = {};
    const credential = token.value.trim();
    if (credential.startsWith("opk_")) headers["x-api-key"] = credential;
    else if (credential !== "") headers["authorization"] = "Bearer " + credential;
    if (body !== undefined) headers["content-type"] = "application/json";
    output.textContent = "…";
    try {
      const response = await fetch(base + target, { method, headers, body, credentials: "omit", redirect: "manual" });
      const text = await response.text();
      let shown = text.slice(0, 100000);
      try { shown = JSON.stringify(JSON.parse(text), null, 2).slice(0, 100000); } catch {}
      output.textContent = "HTTP " + response.status + "\\n\\n" + shown;
    } catch (error) {
      output.textContent = "The request failed: " + error.message;
    }
  };
  for (const place of document.querySelectorAll(".try")) {
    const { body, method, target } = place.dataset;
    const path = element("input", { value: target, ariaLabel: "Path", spellcheck: false });
    const text = element("textarea", { value: body, rows: Math.min(12, body.split("\\n").length + 1), ariaLabel: "Body", spellcheck: false });
    const output = element("code", {});
    const button = element("button", { type: "button" }, "Send " + method);
    button.addEventListener("click", () => {
      if (method !== "GET" && !confirm("Send " + method + " " + path.value + " to this server?")) return;
      if (!path.value.startsWith("/")) { output.textContent = "The path must start with a slash."; return; }
      void send(method, path.value, body === "" ? undefined : text.value, output);
    });
    place.append(
      element("details", {}, element("summary", {}, "Try it"), path, ...(body === "" ? [] : [text]), button, element("pre", {}, output))
    );
  }
})();
`

/** The only script that the page runs, and the only style. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src 'sha256-${Buffer.from(sha256Bytes(docsScript)).toString("base64")}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")
