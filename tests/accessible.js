// What keeps somebody from using a page: a list of sentences, empty where nothing does.  The body of a function.
const found = [];
const say = (what, element) => found.push(`${what}: ${(element.outerHTML ?? String(element)).slice(0, 150)}`);
const all = (selector) => [...document.querySelectorAll(selector)];
const seen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const words = (element) => element.textContent.trim();

// --- the page and its parts
if (!document.documentElement.lang) found.push('the page has no language');
if (!document.title.trim()) found.push('the page has no title');
if (all('main').length !== 1) found.push(`the page has ${all('main').length} main parts`);
for (const child of document.body.children)
  if (!['MAIN', 'NAV', 'SCRIPT'].includes(child.tagName)) say('outside of the main part and the way', child);
const landmarks = all('main, nav, [role=region]').map((e) => `${e.tagName} ${e.getAttribute('aria-label') ?? ''}`);
for (const name of landmarks) if (landmarks.indexOf(name) !== landmarks.lastIndexOf(name)) found.push(`twice: ${name}`);
const ids = all('[id]').map((element) => element.id);
for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push(`two elements are called ${id}`);
for (const attribute of ['aria-controls', 'aria-labelledby', 'for'])
  for (const element of all(`[${attribute}]`))
    if (!document.getElementById(element.getAttribute(attribute))) say(`${attribute} leads nowhere`, element);

// --- headings
let before = 0;
const headings = all('h1, h2, h3, h4, h5, h6').filter((heading) => heading.checkVisibility());
if (headings[0]?.tagName !== 'H1') found.push('the page does not begin with a heading of level 1');
for (const heading of headings) {
  const level = Number(heading.tagName[1]);
  if (level > before + 1) say('a level of headings is left out', heading);
  if (!words(heading)) say('a heading without words', heading);
  before = level;
}

// --- names
const named = (element) =>
  element.getAttribute('aria-label') ||
  (element.labels && [...element.labels].some(words)) ||
  (element.hasAttribute('aria-labelledby') && words(document.getElementById(element.getAttribute('aria-labelledby')))) ||
  (['BUTTON', 'A', 'SUMMARY'].includes(element.tagName) && words(element));
const focusable = all('a[href], button, input, select, summary, [tabindex="0"]');
for (const element of focusable) {
  if (!named(element)) say('no name', element);
  if (element.matches('[tabindex]:not(a, button, input, select, [role])')) say('no role', element);
}
for (const image of all('img')) if (!image.alt.trim()) say('no words for a picture', image);
for (const image of all('svg:not([aria-hidden])'))
  if (image.getAttribute('role') !== 'img' || !words(image.querySelector(':scope > title') ?? document.createElement('p')))
    say('no words for a picture', image);
for (const header of all('th'))
  if (!['col', 'row'].includes(header.scope) || !words(header)) say('a header of nothing, or without words', header);
for (const table of all('table')) if (!table.querySelector('th')) say('a table without headers', table);

// --- the keyboard
for (const box of all('main, main *').filter((element) => element.checkVisibility())) {
  const style = getComputedStyle(box);
  const scrolls =
    (/auto|scroll/.test(style.overflowX) && box.scrollWidth > box.clientWidth + 1) ||
    (/auto|scroll/.test(style.overflowY) && box.scrollHeight > box.clientHeight + 1);
  const reached = box.tabIndex === 0 && box.matches('[role=region], [role=group]');
  if (scrolls && !reached && !box.matches('input, select')) say('a keyboard does not scroll this', box);
}
for (const element of focusable.filter((e) => seen(e) && !e.disabled)) {
  element.focus({ focusVisible: true, preventScroll: true });
  const style = getComputedStyle(element);
  if (document.activeElement !== element) say('cannot have the focus', element);
  else if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) say('the focus is not seen', element);
  element.blur();
}
if (!matchMedia('print').matches && document.documentElement.scrollWidth > document.documentElement.clientWidth) found.push('the page is too wide');

// --- contrast
const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
const colors = new Map();
const rgba = (color) => {
  if (!colors.has(color)) colors.set(color, drawn(color));
  return colors.get(color);
};
const drawn = (color) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, under) => [0, 1, 2].map((k) => top[k] * top[3] + under[k] * (1 - top[3]));
const light = (color) => {
  const [r, g, b] = color.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one, other) => {
  const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
};
const whole = matchMedia('print').matches ? [255, 255, 255] : rgba(getComputedStyle(document.body).backgroundColor);
const grounds = new Map([[null, whole]]);
const ground = (element) => {  // the colour that is behind an element
  if (!grounds.has(element)) {
    const box = element.matches('svg g.node, svg g.edge') && element.querySelector('rect');
    const paper = element.matches('svg') && element.querySelector('.paper');
    const layer = rgba(getComputedStyle(box || paper || element)[box || paper ? 'fill' : 'backgroundColor']);
    grounds.set(element, layer[3] === 1 ? layer : over(layer, ground(element.parentElement)));
  }
  return grounds.get(element);
};
const opacities = new Map([[null, 1]]);
const opacity = (element) => {
  if (!opacities.has(element))
    opacities.set(element, Number(getComputedStyle(element).opacity) * opacity(element.parentElement));
  return opacities.get(element);
};
const check = (element, color, least, what) => {
  const behind = ground(element);
  const shown = rgba(color);
  shown[3] *= opacity(element);
  const ratio = contrast(over(shown, behind), behind);
  if (ratio < least) say(`${what} has a contrast of ${ratio.toFixed(2)}`, element);
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const read = new Set();
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || read.has(element) || !element.checkVisibility({ visibilityProperty: true })) continue;
  read.add(element);
  if (element.closest('script, style, title, desc, option, :disabled')) continue;
  const style = getComputedStyle(element);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
  check(element, element.closest('svg') ? style.fill : style.color, large ? 3 : 4.5, 'a text');
}
for (const element of all('select, input.typed').filter(seen)) check(element, getComputedStyle(element).color, 4.5, 'a field');
for (const line of all('svg .edge .line').filter(seen)) {
  const paper = ground(line.closest('svg'));
  if (contrast(rgba(getComputedStyle(line).stroke), paper) < 3) say('a line is hardly seen', line);
}
for (const box of all('svg .node rect').filter(seen)) {
  const paper = ground(box.closest('svg'));
  if (contrast(rgba(getComputedStyle(box).stroke), paper) < 3) say('a box is hardly seen', box);
}
return [...new Set(found)];
