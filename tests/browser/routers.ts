/**
 * Sites whose links do not load a page anew. Turbo is the real one; the others are as small as can be
 * while they do to the document and its history what the real ones do.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const turbo = readFileSync(
  fileURLToPath(import.meta.resolve('@hotwired/turbo/dist/turbo.es2017-umd.js')),
  'utf8',
);

/** Follows the links of a page, and back and forward, with a function that shows another page. */
const following = (show: string) => `
  const show = ${show};
  const visit = async (path) => show(
    new DOMParser().parseFromString(await (await fetch(path)).text(), 'text/html'),
  );
  document.addEventListener('click', async (event) => {
    const link = event.target.closest?.('a');
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    history.pushState({}, '', link.href);
    await visit(link.href);
  });
  addEventListener('popstate', () => visit(location.href));`;

/** As React Router and its like: the address first, then what is inside \`<main>\`. */
export const pushStateRouter = following(`(page) => {
  document.title = page.title;
  document.querySelector('main').replaceWith(page.querySelector('main'));
}`);

/** As htmx with \`hx-boost\`: new contents for the same body, whose scripts are run. */
export const bodySwapRouter = following(`(page) => {
  document.title = page.title;
  document.body.innerHTML = page.body.innerHTML;
  for (const script of document.body.querySelectorAll('script')) {
    const runs = document.createElement('script');
    for (const { name, value } of script.attributes) runs.setAttribute(name, value);
    runs.textContent = script.textContent;
    script.replaceWith(runs);
  }
}`);

/**
 * As docsify: pages are behind `#/`, their headings behind `?id=`, and they come a moment later.
 * Each page is what stands in the `<template>` with its path.
 */
export const hashRouter = `
  const show = () => {
    const [path, id] = location.hash.slice(1).split('?id=');
    document.querySelector('#view').textContent = 'Loading';
    setTimeout(() => {
      const page = document.querySelector('template[data-path="' + path + '"]');
      document.querySelector('#view').replaceChildren(page?.content.cloneNode(true) ?? 'No such page');
      if (id) document.getElementById(id)?.scrollIntoView();
    }, 200);
  };
  addEventListener('hashchange', show);
  show();`;

/**
 * As Astro's ClientRouter: its events in their order, the attributes of the root taken and given anew,
 * another head and another body, inside a view transition; a script that has run does not run again.
 */
export const astroRouter = `
  const key = (script) => script.src || script.textContent;
  const ran = new Set(Array.from(document.scripts, key));
  const tell = (name) => document.dispatchEvent(new Event(name));
  ${following(`async (page) => {
    tell('astro:before-preparation');
    tell('astro:after-preparation');
    for (const script of page.scripts) {
      if (ran.has(key(script))) script.dataset.astroExec = '';
    }
    const transition = document.startViewTransition(() => {
      tell('astro:before-swap');
      const root = document.documentElement;
      for (const { name } of [...root.attributes]) root.removeAttribute(name);
      for (const { name, value } of page.documentElement.attributes) root.setAttribute(name, value);
      document.head.replaceChildren(...page.head.children);
      document.body.replaceWith(page.body);
      tell('astro:after-swap');
    });
    // Another visit may come before its pictures have moved.
    for (const each of [transition.ready, transition.finished]) each.catch(() => {});
    await transition.updateCallbackDone;
    for (const script of document.querySelectorAll('script:not([data-astro-exec])')) {
      const runs = document.createElement('script');
      for (const { name, value } of script.attributes) runs.setAttribute(name, value);
      runs.textContent = script.textContent;
      ran.add(key(script));
      script.replaceWith(runs);
    }
    tell('astro:page-load');
  }`)}`;
