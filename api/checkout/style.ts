import { BACKGROUNDS, type Color, deriveAccentColors } from '../../shared/domain/accent.ts'

/**
 * Returns the style that follows `STYLE` on a page with a brand colour. The content security policy contains the hash
 * of these exact bytes.
 */
export function accentStyle(color: Color): string {
  const { light, dark } = deriveAccentColors(color)
  const rule = ({ accent, onAccent }: typeof light) => `:root{--accent:${accent};--on-accent:${onAccent}}`
  return `${rule(light)}@media (prefers-color-scheme:dark){${rule(dark)}}`
}

/**
 * The style of all pages. Every text has a contrast of at least 4.5:1 against its background (WCAG 2.2, 1.4.3), and
 * every border that marks a control has a contrast of at least 3:1 (1.4.11).
 */
export const STYLE = `
:root{color-scheme:light dark;--ground:${BACKGROUNDS.light[0]};--card:${BACKGROUNDS.light[1]};--line:#e1e5ea;--edge:#79828f;--ink:#12161d;--quiet:#525c6c;--accent:#3146d3;--on-accent:#ffffff;--good:#0d7340;--good-ground:#e5f6ec;--warn:#7d4600;--warn-ground:#fff3dc;--tint:color-mix(in srgb,var(--accent) 9%,var(--card))}
@media (prefers-color-scheme:dark){:root{--ground:${BACKGROUNDS.dark[0]};--card:${BACKGROUNDS.dark[1]};--line:#303843;--edge:#7d8795;--ink:#edf0f5;--quiet:#aab4c2;--accent:#9dabff;--on-accent:#10163a;--good:#62d698;--good-ground:#11301f;--warn:#ffc873;--warn-ground:#33270f;--tint:color-mix(in srgb,var(--accent) 16%,var(--card))}}
*{box-sizing:border-box}
body{margin:0;background:var(--card);color:var(--ink);font:1rem/1.45 system-ui,sans-serif;overflow-wrap:anywhere;font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
h1,h2,h3,p,dl,dd,ol,ul,fieldset{margin:0;padding:0;border:0}
ol,ul{list-style:none}
a{color:var(--accent);text-underline-offset:.18em}
:focus-visible,.apps label:has(:focus-visible){outline:3px solid var(--accent);outline-offset:2px}:focus-visible{border-radius:4px}
[hidden]{display:none!important}
.languages ul,.method,.tabs,.apps label,.btn,button,.rows,.note,input:not([type=radio]),select,#wallet [role=status]:not(:empty),.lost{border-radius:12px}
code{font:.94em/1.45 ui-monospace,Menlo,Consolas,monospace;direction:ltr;unicode-bidi:isolate;user-select:all}
.i{width:1.25em;height:1.25em;flex:none;vertical-align:-.25em;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.page{max-width:30rem;min-height:100vh;margin:0 auto;padding:0 20px 20px;display:flex;flex-direction:column}
.test{display:flex;gap:8px;align-items:center;min-height:32px;margin:0 -20px;padding:4px 20px;background:var(--warn-ground);color:var(--warn);font-size:.875rem}
.top{display:flex;justify-content:space-between;align-items:center;padding:12px 0;margin-inline-end:-10px;position:relative}
.payee{display:flex;gap:10px;align-items:center;min-width:0;min-height:44px}.payee span{display:grid;line-height:1.25}.payee small{color:var(--quiet);font-size:.8rem}.payee b{font-weight:650}
.payee img{height:40px;max-width:8rem;object-fit:contain;padding:3px;border-radius:10px;background:#fff}
.languages summary{width:44px;height:44px;display:grid;place-items:center;color:var(--quiet)}
.languages ul{position:absolute;inset-inline-end:10px;z-index:2;min-width:12rem;padding:6px;background:var(--card);border:1px solid var(--edge)}.languages a{display:block;padding:10px 12px;color:inherit;text-decoration:none}.languages a[aria-current]{font-weight:650;background:var(--ground);border-radius:8px}
summary{cursor:pointer;list-style:none}summary::-webkit-details-marker{display:none}
.amount{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:4px 12px}.figure{font-size:1.05rem;line-height:1.15;font-weight:600;color:var(--quiet)}.figure b{font-size:2.35rem;font-weight:700;letter-spacing:-.02em;color:var(--ink)}
.figure.long b{font-size:1.5rem}
.pill{display:inline-flex;flex:1 1 8.75rem;max-width:max-content;line-height:1.15;min-height:30px;gap:6px;align-items:center;font-size:.875rem;padding:5px 12px 5px 9px;border-radius:99px;background:var(--ground);color:var(--quiet)}.pill strong{color:var(--ink)}.pill.good{background:var(--good-ground);color:var(--good)}.pill.warn{background:var(--warn-ground);color:var(--warn)}.pill.warn strong{color:inherit}.pill.busy{background:var(--tint);color:var(--ink)}
.fold>summary{display:inline-flex;gap:4px;align-items:center;min-height:44px;color:var(--quiet);font-size:.9rem}
.items li{display:flex;gap:12px;align-items:center;padding:4px 0;font-size:.95rem}.items img,.items .none{flex:none;width:40px;height:40px;object-fit:cover;border-radius:9px;background:var(--ground)}
.wide{display:none}
main{flex:1 0 auto;padding-top:10px}
.method{display:flex;align-items:center;gap:12px;padding:9px 12px;min-height:60px;border:1px solid var(--line);color:inherit;text-decoration:none}.method>span{display:grid;flex:1;min-width:0;line-height:1.3}.method b{font-weight:650}.method small{color:var(--quiet);font-size:.8rem}
.method>.act{display:block;flex:none;color:var(--accent);font-size:.9rem;font-weight:600}.act .i{width:1em;height:1em;vertical-align:-.12em}details.pairs[open] summary{margin-bottom:8px}
.coin{width:42px;height:42px;flex:none;font:700 18px system-ui}.coin,.mono{text-anchor:middle}.coin circle+circle{fill:none;stroke:#fff8;stroke-width:1.5}.coin text{fill:#fff}.coin .on{font-size:9.5px}.coin rect{stroke:var(--card);stroke-width:2.5}
.choices{display:grid;gap:8px}
.tabs{display:flex;gap:2px;background:var(--ground);padding:4px;margin:12px 0 14px}.tabs a{flex:1 1 auto;padding:0 6px;min-height:44px;display:flex;gap:6px;align-items:center;justify-content:center;text-align:center;border-radius:9px;color:var(--quiet);text-decoration:none;font-size:.875rem;font-weight:600;line-height:1.15;min-width:0}.tabs .i{width:1.1rem;height:1.1rem}.tabs a[aria-current]{background:var(--card);color:var(--ink);box-shadow:0 1px 3px rgb(0 0 0/.16)}
.apps{display:none}.apps fieldset{display:grid;grid-template-columns:1fr 1fr;gap:8px;min-width:0}legend{font-weight:650;padding:0;margin-bottom:8px}.apps label{position:relative;display:flex;gap:10px;align-items:center;min-height:54px;min-width:0;padding:6px 10px;border:1px solid var(--line);font-size:.95rem;line-height:1.2;cursor:pointer}.apps input{position:absolute;opacity:0;inset:0;margin:0}.apps label:nth-of-type(odd):last-of-type{grid-column:1/-1}.apps label:has(:checked){border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent);background:var(--tint);font-weight:600}
.apps .btn{display:none;order:1;grid-column:1/-1;margin-top:6px}.apps label:has(:checked)+.btn{display:flex}
.mono{width:34px;height:34px;flex:none;background:currentColor;border-radius:10px;font-size:14px;font-weight:700}
.btn,button{display:flex;gap:8px;align-items:center;justify-content:center;width:100%;min-height:52px;margin-top:14px;padding:8px 16px;border:1px solid transparent;background:var(--accent);color:var(--on-accent);font:650 1.05rem/1.3 system-ui;text-decoration:none;text-align:center;cursor:pointer}
.btn.sec,button.sec,#wallet>.wallets~[role=status] button+button{background:none;color:var(--ink);border-color:var(--edge);margin-top:10px;font-weight:600;font-size:1rem;min-height:48px}
.hint{text-wrap:balance;color:var(--quiet);font-size:.875rem;margin-top:10px;text-align:center}.hint a,.more a{display:inline-block;padding:11px 6px}.more{text-align:center;font-size:.9rem}
.scan{display:grid;justify-items:center}.qr{width:176px;flex:none}.qr svg{display:block;width:100%;border-radius:10px;border:1px solid var(--line)}
.rows{margin-top:12px;border:1px solid var(--line)}.rows>div{display:flex;flex-wrap:wrap;gap:0 10px;align-items:center;padding-block:8px;padding-inline:14px 6px}.rows>div+div{border-top:1px solid var(--line)}.rows dt{flex:1 0 100%;margin-bottom:-6px}.rows dd{display:flex;align-items:center;gap:0 .35em;flex:1;min-width:0;padding-block:4px;min-height:48px}.rows code{flex:1;min-width:0}dt{color:var(--quiet);font-size:.8rem}
.large{font:650 1.15rem system-ui}.group{display:inline-block;margin-inline-end:.32em}.ends .group:is(:first-child,:last-child){font-weight:700;color:var(--accent)}
button.copy{display:grid;flex:none;margin-inline-start:auto!important;justify-items:center;gap:1px;width:auto;min-width:52px;min-height:48px;margin:0;padding:2px;border:0;border-radius:9px;background:none;color:var(--accent);font:600 .75rem system-ui;align-content:center}.copy::before{content:'';width:13px;height:13px;margin:5px 0 2px 5px;border:2px solid;border-radius:3px;box-shadow:-4px -4px 0 -2px var(--card),-4px -4px 0 0 currentColor}
.note{display:flex;gap:10px;margin-top:12px;padding:10px 12px;background:var(--ground);font-size:.9rem}.note>:last-child{min-width:0}.note.warn{background:var(--warn-ground);color:var(--warn)}main>.note:first-child,#how>.note:first-child{margin:0 0 10px}
.steps{counter-reset:s;display:grid;gap:10px;font-size:.95rem}.steps li{counter-increment:s;position:relative;padding-inline-start:38px}.steps li::before{content:counter(s);position:absolute;inset-inline-start:0;top:0;display:grid;place-items:center;width:26px;height:26px;border-radius:50%;background:var(--tint);font-size:.85rem;font-weight:700}
.phone{display:flex;gap:16px;align-items:center;margin-top:18px}.phone .qr{width:128px}#wallet:not(:empty)+.phone{padding-top:18px;border-top:1px solid var(--line)}.phone p strong{display:block}
.state{text-align:center;padding:14px 0 4px;display:grid;justify-items:center;gap:6px}.state :is(h1,h2){font-size:1.5rem;line-height:1.2;letter-spacing:-.01em;margin-top:6px;text-wrap:balance}.state p{color:var(--quiet);max-width:25rem;text-wrap:pretty;min-width:0}.state strong{color:var(--ink)}.badge{display:grid;place-items:center;width:64px;height:64px;border-radius:50%;background:var(--ground);color:var(--quiet)}.badge .i{width:32px;height:32px}.good .badge{background:var(--good-ground);color:var(--good)}.warn .badge{background:var(--warn-ground);color:var(--warn)}.busy .badge{background:var(--tint);color:var(--accent)}
progress{display:block;width:100%;height:8px;margin:14px 0;appearance:none;border:0;border-radius:4px;background:var(--line);overflow:hidden}progress::-webkit-progress-bar{background:var(--line)}progress::-webkit-progress-value{background:var(--accent)}progress::-moz-progress-bar{background:var(--accent)}
.part{margin:2px 0 12px;font-size:.9rem;color:var(--quiet)}.part strong{color:var(--ink)}.part progress{margin:4px 0 8px}
.line{margin:16px 0 4px}.line>li{display:flex;gap:12px;padding-bottom:16px;position:relative}.line>li:not(:last-child)::before{content:'';position:absolute;inset-inline-start:12px;top:26px;bottom:0;width:2px;background:var(--line)}.dot{width:26px;height:26px;border-radius:50%;border:2px solid var(--edge);flex:none;display:grid;place-items:center}.done .dot{background:var(--good);border-color:var(--good);color:var(--card)}.done .i{width:16px;height:16px;stroke-width:3}.now .dot{border:7px solid var(--accent)}.line small{display:block;color:var(--quiet);font-size:.875rem}
.facts{margin-top:16px;border-block:1px solid var(--line)}.facts>div{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:2px 16px;padding:10px 0}.facts>div+div{border-top:1px solid var(--line)}.facts dt{font-size:.9rem}.facts dd{font-size:.95rem;min-width:0}
.pairing{margin-top:12px}.pairing .warn{background:var(--warn-ground);border-color:transparent}.pairing .warn :is(small,a){color:var(--warn)}
.fold{margin-top:4px}.fold form p{margin-top:8px}.fold form,.fold p{font-size:.9rem}label{font-size:.9rem}input:not([type=radio]),select{font:inherit;width:100%;min-height:48px;padding:8px 12px;color:var(--ink);background:var(--card);border:1px solid var(--edge)}
footer{margin-top:auto;padding-top:18px;color:var(--quiet);font-size:.8rem}footer p{display:flex;flex-wrap:wrap;align-items:center;gap:0 12px}footer a{color:inherit;display:inline-block;padding:12px 0}footer .copy{min-height:44px;margin:0!important}footer .copy::before{display:none}
.scripted .unscripted,html:not(.scripted) .scripts{display:none}
.wallets{display:grid;grid-template-columns:1fr 1fr;gap:10px}.wallets button{margin:0;grid-column:1/-1}.wallets button+button{background:none;color:var(--ink);border-color:var(--edge);font-weight:600;font-size:1rem;grid-column:auto}.wallets button+button:last-child:nth-child(even){grid-column:1/-1}.swaps button{margin:0 0 8px}.printless #print{display:none}#return .hint .sec{width:auto;display:inline-flex;margin:0 0 0 8px;min-height:44px}.wallets img{width:28px;height:28px;border-radius:8px;background:#fff}
#wallet [role=status]:not(:empty){margin-top:12px;background:var(--ground);padding:10px 12px}#wallet .steps{margin:12px 0}#how:has(#wallet>*) .apps{display:none!important}
.lost{position:sticky;bottom:8px;z-index:1;background:var(--warn-ground);color:var(--warn);border:1px solid currentColor;padding:10px 16px;margin:0 auto 8px;max-width:30rem}html:has(.lost){scroll-padding-bottom:7rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (hover:none) and (pointer:coarse){.apps{display:block}.phone{display:none}}
@media (max-width:22rem){.tabs a{flex-direction:column;gap:2px;padding:4px 2px;font-size:.8rem}.apps fieldset{grid-template-columns:1fr}.figure b{font-size:2rem}}
@media (min-width:60rem){body{background:linear-gradient(90deg,var(--ground) 50%,var(--card) 50%) fixed}[dir=rtl] body{background:linear-gradient(270deg,var(--ground) 50%,var(--card) 50%) fixed}
.page{max-width:1080px;display:grid;grid-template-columns:1fr 1fr;grid-template-rows:1fr auto;padding:72px 20px 28px}.page>:is(header,footer){padding-inline-end:88px;grid-column:1;min-width:0}main{padding-inline-start:88px;grid-column:2;grid-row:1/3;min-width:0}.test{margin:0 0 16px;padding:8px 12px;border-radius:12px}.top{padding:0 0 28px}.amount{display:grid;justify-items:start;gap:12px}.figure b{font-size:3rem}.pill:not([class*=' ']){background:var(--card)}
.items.fold{display:none}.items.wide{display:grid;gap:8px;margin-top:28px;padding-top:20px;border-top:1px solid var(--line)}.state{justify-items:start;text-align:start;padding-top:0}.hint,.more{text-align:start}.hint a,.more a{padding-inline:0}main{padding-top:0}.scan{display:flex;gap:18px;align-items:center}.scan .hint{margin:0}}
@media print{:root{color-scheme:light;--card:#fff;--ground:#fff;--ink:#000;--quiet:#444;--line:#bbb}body{background:#fff!important}.badge{border:2px solid}.languages,.btn,button,.hint,.tabs,.fold,.pill,.more,.links,.lost{display:none!important}.page{display:block;max-width:none;min-height:0;padding:0}main,header{padding:0!important}a{color:inherit;text-decoration:none}}
`
