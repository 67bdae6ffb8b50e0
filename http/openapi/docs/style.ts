// How the page of the API looks: one sheet, sent inside the page, light or dark as the reader's system is.

export const style = `
:root{color-scheme:light dark;--ink:#1b1f24;--quiet:#5b6470;--line:#dfe3e8;--page:#fff;--panel:#f6f7f9;--code:#eef0f3;
--get:#0a6d4f;--post:#1f5fbf;--put:#8a5a00;--delete:#b3261e;--accent:#1f5fbf;--must:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8eb;--quiet:#9aa4b1;--line:#2d333b;--page:#14171b;--panel:#1b1f25;
--code:#23282f;--get:#4fc99e;--post:#7db2ff;--put:#e2b35c;--delete:#ff8a80;--accent:#7db2ff;--must:#ff8a80}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:16px}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--ink);background:var(--page);
display:grid;grid-template-columns:270px minmax(0,1fr);overflow-wrap:break-word}
code,pre,.path,.type{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.875em}
code{background:var(--code);padding:.1em .35em;border-radius:4px}
pre{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:12px 14px;overflow-x:auto;line-height:1.5;margin:8px 0 16px}
a{color:var(--accent);text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible,summary:focus-visible,pre:focus-visible,.wide:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:20px 16px 40px;border-right:1px solid var(--line);background:var(--panel)}
nav h2{font-size:12px;letter-spacing:.05em;text-transform:uppercase;color:var(--quiet);margin:18px 0 4px;border:0;padding:0}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:8px;align-items:baseline;padding:3px 6px;border-radius:6px;color:var(--ink);font-size:14px;line-height:1.4}
nav li a:hover{background:var(--code);text-decoration:none}
nav .title{font-weight:650;font-size:17px;color:var(--ink)}
nav .method{font-size:10px;min-width:38px}
main{padding:28px clamp(16px,4vw,56px) 120px;max-width:1100px}
h1{font-size:28px;line-height:1.2;margin:0 0 4px}
h2{font-size:22px;margin:56px 0 0;padding-bottom:6px;border-bottom:1px solid var(--line)}
h3{font-size:18px;margin:0 0 6px;line-height:1.35}
h4{font-size:12px;letter-spacing:.05em;text-transform:uppercase;color:var(--quiet);margin:20px 0 6px}
p{margin:8px 0;max-width:75ch}
ul{max-width:75ch;padding-left:22px}
.quiet{color:var(--quiet)}
section.operation{padding:28px 0 12px;border-bottom:1px solid var(--line)}
section.operation:last-of-type{border-bottom:0}
.line{display:flex;gap:10px;align-items:baseline;flex-wrap:wrap;margin:0 0 8px}
.method{font-weight:700;font-size:12px;letter-spacing:.03em;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.GET{color:var(--get)}.POST{color:var(--post)}.PUT{color:var(--put)}.DELETE{color:var(--delete)}
.path{font-size:14px;overflow-wrap:anywhere}
.badge{font-size:12px;color:var(--quiet);border:1px solid var(--line);border-radius:99px;padding:0 8px}
.wide{overflow-x:auto;margin:4px 0 12px}
table{border-collapse:collapse;width:100%;font-size:14px}
th{text-align:left;font-weight:600;color:var(--quiet);font-size:12px;padding:4px 12px 4px 0;border-bottom:1px solid var(--line)}
td{padding:7px 12px 7px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}
td:first-child{white-space:nowrap}
td code{background:none;padding:0}
p code,li code{white-space:nowrap}
.d1{padding-left:20px}.d2{padding-left:40px}.d3{padding-left:60px}.d4,.d5{padding-left:80px}
td:last-child{min-width:180px}
.type{color:var(--quiet);max-width:260px}
.must{color:var(--must);font-size:12px}
.limits{color:var(--quiet);font-size:13px}
details{margin:4px 0;border:1px solid var(--line);border-radius:8px;background:var(--page)}
summary{cursor:pointer;padding:7px 12px;font-size:14px}
summary .status{font-weight:650;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;margin-right:8px}
.ok{color:var(--get)}.bad{color:var(--delete)}
details>div{padding:0 14px 6px;border-top:1px solid var(--line)}
@media (max-width:800px){body{display:block}nav{position:static;height:auto;max-height:45vh;border-right:0;border-bottom:1px solid var(--line)}
main{padding-top:20px}
td:last-child{min-width:150px}
h2{margin-top:40px}}
@media print{nav{display:none}body{display:block}details>div{display:block}}
`;
