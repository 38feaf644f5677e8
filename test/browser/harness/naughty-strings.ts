/** What strangers write into a callback when they hope that some page shows it carelessly. */

/**
 * What runs calls `ran()`, which a page under test counts in each of its frames; whatever is asked for lies elsewhere.
 * @param elsewhere origin of another site
 */
export function naughtyStrings(elsewhere: string): readonly string[] {
  return [
    ...together(4, markup(elsewhere)),
    ...together(2, attributes(elsewhere)),
    ...links(elsewhere),
    ...together(3, TEMPLATES),
    ...together(2, chat(elsewhere)),
    ...together(2, CHARACTERS),
    ...WORDS,
  ];
}

/** What does its harm wherever in a text it stands, so many in one. */
function together(count: number, strings: readonly string[]): string[] {
  const joined: string[] = [];
  for (let from = 0; from < strings.length; from += count)
    joined.push(strings.slice(from, from + count).join(' '));
  return joined;
}

const RUN = `ran('naughty')`;
const SCRIPT = `<script>${RUN};alert(1)</script>`;

function markup(elsewhere: string): string[] {
  return [
    SCRIPT,
    `"><!--'>--></title></textarea></style></noscript></xmp></pre>${SCRIPT}`,
    `</script>${SCRIPT}`,
    `<scr<script>ipt>${RUN}</scr</script>ipt>`,
    `<ScRiPt\u00a0x>${RUN}</sCrIpT>`,
    `<img src=x onerror="${RUN};alert(1)">`,
    `<img src=${elsewhere}/pixel.png srcset="${elsewhere}/pixel2.png 2x">`,
    `<svg onload="${RUN}"><script>${RUN}</script><use href="${elsewhere}/x.svg#x"/></svg>`,
    `<svg><animate onbegin="${RUN}" attributeName=x dur=1s>`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
    `<iframe src="${elsewhere}/frame"></iframe><iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
    `<iframe src="javascript:parent.${RUN}"></iframe>`,
    `<object data="${elsewhere}/object"></object><embed src="${elsewhere}/embed">`,
    `<script src="${elsewhere}/script.js"></script><link rel=stylesheet href="${elsewhere}/style.css">`,
    `<style>@import '${elsewhere}/import.css'; * { background: url(${elsewhere}/background) !important }</style>`,
    `<meta http-equiv="refresh" content="0;url=${elsewhere}/refresh">`,
    `<base href="${elsewhere}/"><base target="_top">`,
    `<form action="${elsewhere}/form"><button>Log in</button></form>`,
    `<details open ontoggle="${RUN}"><summary>x</summary></details>`,
    `<video autoplay onloadstart="${RUN}"><source onerror="${RUN}"></video><audio src=${elsewhere}/a>`,
    `<input autofocus onfocus="${RUN}"><select autofocus onfocus="${RUN}">`,
    `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
    `<!--<img src="--><img src=x onerror=${RUN}//">`,
    `<![CDATA[${SCRIPT}]]><?xml version="1.0"?><!DOCTYPE x [<!ENTITY x SYSTEM "${elsewhere}/x">]>`,
    `<template>${SCRIPT}</template><slot><b><i></b></i></p></div></main></body></html>`,
    `<a href="javascript:${RUN}" target=_top>a link</a><a href="${elsewhere}" ping="${elsewhere}/ping">b</a>`,
    `<plaintext><xmp><listing>`,
    `&lt;script&gt;${RUN}&lt;/script&gt; &#60;script&#62; &amp;lt; &#x202e;`,
    `%3Cscript%3E${RUN}%3C/script%3E %22%3E`,
    String.raw`\u003cscript\u003e${RUN}\u003c/script\u003e \x3cscript\x3e`,
    `+ADw-script+AD4-${RUN}+ADw-/script+AD4-`,
  ];
}

function attributes(elsewhere: string): string[] {
  return [
    `" onfocus="${RUN}" autofocus="" tabindex="0" x="`,
    `' onmouseover='${RUN}' style='position:fixed;inset:0' x='`,
    `\` onpointerenter=\`${RUN}\` x=\``,
    `x onload=${RUN} autofocus onfocus=${RUN}`,
    `" style="background:url(${elsewhere}/attribute);animation:x" srcdoc="${SCRIPT}`,
    `"/></svg></title><image href="${elsewhere}/svg" onerror="${RUN}">`,
    `0" height="9999" onclick="${RUN}`,
  ];
}

function links(elsewhere: string): string[] {
  return [
    `javascript:${RUN}//`,
    ` \tJaVa\nScRiPt:${RUN}//`,
    `data:text/html,${SCRIPT}`,
    `data:text/html;base64,${Buffer.from(SCRIPT).toString('base64')}`,
    `//${new URL(elsewhere).host}/`,
    `/\\${new URL(elsewhere).host}`,
    `${elsewhere}/?x=%22%3E${RUN}`,
    '..',
    'a/b/c?d=e&f=g#h',
    `x\r\nSet-Cookie: stolen=1\r\nContent-Type: text/html\r\n\r\n${SCRIPT}`,
    '%E0%A4%A',
  ];
}

const TEMPLATES = [
  `{{ constructor.constructor("${RUN}")() }} {{ 7 | times: 7 }} {% include "x" %} {% raw %}`,
  `\${${RUN}} #{${RUN}} <%= ${RUN} %> {{{ ${RUN} }}} [[ ${RUN} ]] *{${RUN}}`,
  `%s%n%x%d %(name)s {0} $1 $& $\` \${jndi:ldap://127.0.0.1/x}`,
];

function chat(elsewhere: string): string[] {
  return [
    `<!channel> <!here> <@U012AB3CD> <#C012AB3CD|x> <!subteam^S1>`,
    `<${elsewhere}|Click me> [Click me](${elsewhere}) ![x](${elsewhere}/markdown.png)`,
    '```\n</code></pre><script>ran()</script>\n``` `x` *b* _i_ ~s~ > q\n- l\n1. l',
    `:tada: :${SCRIPT}:`,
  ];
}

const CHARACTERS = [
  '\u202Egnp.exe\u202C \u2066x\u2069 \u200f\u061c',
  `a${'\u0315\u0300\u0316\u0489'.repeat(40)}`,
  '\u0000\u0001\u0007\u0008\u001b[31m\u007f\u0080\u009b31m',
  '\ud83d \ude00 \ufdd0 \uffff \ufeff',
  '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🇯🇵👍🏽ﷺ',
  '請求書取込ＢＯＴ　田中さん「〜」ｱｲｳ ㍿ 𠮷野家 葛󠄀',
  'مرحبا بالعالم שלום עולם',
  '\u2028\u2029\u0085\v\f line\tends \u00a0\u3000',
  'A'.repeat(3000),
  '漢'.repeat(1500),
  'a '.repeat(1500),
];

const WORDS = ['__proto__', 'constructor', 'null', '0', 'new'];
