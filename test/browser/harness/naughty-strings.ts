/** What strangers write into a callback when they hope that some page shows it carelessly. */

const RUN = `ran('naughty')`;
const SCRIPT = `<script>${RUN};alert(1)</script>`;

/**
 * One of each kind. What runs calls `ran()`, which a page under test counts in each of its frames; whatever is asked for lies elsewhere.
 * @param elsewhere origin of another site
 */
export function naughtyStrings(elsewhere: string): readonly string[] {
  const { host } = new URL(elsewhere);
  return [
    // Markup.
    `${SCRIPT} "><!--'>--></title></textarea></style></noscript></xmp></pre>${SCRIPT} </script>${SCRIPT}`,
    `<scr<script>ipt>${RUN}</scr</script>ipt> <ScRiPt\u00a0x>${RUN}</sCrIpT> <img src=x onerror="${RUN}">`,
    `<img src=${elsewhere}/a srcset="${elsewhere}/b 2x"> <svg onload="${RUN}"><use href="${elsewhere}/x.svg#x"/></svg>`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
    `<iframe src="${elsewhere}/frame"></iframe><iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
    `<object data="${elsewhere}/object"></object><embed src="${elsewhere}/embed"><script src="${elsewhere}/s.js"></script>`,
    `<link rel=stylesheet href="${elsewhere}/style.css"><style>* { background: url(${elsewhere}/c) !important }</style>`,
    `<meta http-equiv="refresh" content="0;url=${elsewhere}/refresh"><base href="${elsewhere}/"><base target="_top">`,
    `<form action="${elsewhere}/form"><button>Log in</button><input autofocus onfocus="${RUN}"></form>`,
    `<details open ontoggle="${RUN}"><summary>x</summary></details><video autoplay onloadstart="${RUN}">`,
    `<!--<img src="--><img src=x onerror=${RUN}//"> <![CDATA[${SCRIPT}]]><?xml version="1.0"?>`,
    `<template>${SCRIPT}</template></b></i></p></div></main></body></html><plaintext><xmp><listing>`,
    `<a href="javascript:${RUN}" target=_top>a link</a><a href="${elsewhere}" ping="${elsewhere}/ping">b</a>`,
    `&lt;script&gt;${RUN}&lt;/script&gt; &#60;script&#62; %3Cscript%3E${RUN}%3C/script%3E +ADw-script+AD4-${RUN}`,
    // Attributes.
    `" onfocus="${RUN}" autofocus="" tabindex="0" x="' onmouseover='${RUN}' style='position:fixed;inset:0' x='`,
    `x onload=${RUN} autofocus onfocus=${RUN} \` onpointerenter=\`${RUN}\` x=\``,
    `" style="background:url(${elsewhere}/attribute)" srcdoc="${SCRIPT}"/></svg><image href="${elsewhere}/svg"/>`,
    // Addresses, headers, templates, chats.
    `javascript:${RUN}//`,
    ` \tJaVa\nScRiPt:${RUN}//`,
    `data:text/html,${SCRIPT}`,
    `//${host}/`,
    `/\\${host}`,
    `${elsewhere}/?x=%22%3E${RUN}`,
    '../a/b/c?d=e&f=g#h%E0%A4%A',
    `x\r\nSet-Cookie: stolen=1\r\nContent-Type: text/html\r\n\r\n${SCRIPT}`,
    `{{ constructor.constructor("${RUN}")() }} {% include "x" %} \${${RUN}} <%= ${RUN} %> {{{ ${RUN} }}} %s%n`,
    `<!channel> <@U012AB3CD> <${elsewhere}|Click me> [Click me](${elsewhere}) ![x](${elsewhere}/m.png) :${SCRIPT}:`,
    // Characters.
    `\u202Egnp.exe\u202C \u2066x\u2069 a${'\u0315\u0300\u0316\u0489'.repeat(40)} مرحبا שלום`,
    '\u0000\u0001\u0007\u0008\u001b[31m\u007f\u0080\u009b31m \u2028\u2029\u0085\v\f \u00a0\u3000',
    '\ud83d \ude00 \ufdd0 \uffff \ufeff 👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🇯🇵👍🏽ﷺ ㍿ 𠮷野家 葛󠄀',
    'A'.repeat(3000),
    '漢 '.repeat(1500),
    '__proto__',
    'constructor',
    'null',
  ];
}
