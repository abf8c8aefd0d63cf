import { Html, html } from '../../shared/runtime/html.ts'
import { type Cell, formatTime } from './cell.ts'
import { NETWORK_COLUMNS } from './describe-network.ts'
import type { Status } from './describe-status.ts'

/** Seconds after which the browser loads the page again. */
const REFRESH_SECONDS = 10

const STYLE = `
:root{color-scheme:light dark;--ground:#fff;--ink:#12161d;--quiet:#525c6c;--line:#d5dae1;--good:#0d7340;--bad:#b3261e;--bad-ground:#fdecea}
@media (prefers-color-scheme:dark){:root{--ground:#12161d;--ink:#edf0f5;--quiet:#aab4c2;--line:#3a434f;--good:#62d698;--bad:#ff9c93;--bad-ground:#3a1513}}
body{margin:0 auto;max-width:72rem;padding:16px 20px;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:1.4rem;margin:0}h2{font-size:1.05rem;margin:28px 0 8px}p{margin:4px 0}
.good{color:var(--good)}.bad{color:var(--bad);font-weight:600}.quiet{color:var(--quiet)}
.problems{margin:12px 0;padding:10px 16px 10px 34px;background:var(--bad-ground);border-radius:8px}
.wide{overflow-x:auto}.pairs th{width:60%}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:6px 14px 6px 0;border-bottom:1px solid var(--line)}th{font-weight:600}thead th{color:var(--quiet);font-size:.875rem}
@media (max-width:44rem){.wide thead{display:none}.wide tr{display:block;padding:8px 0;border-bottom:1px solid var(--line)}.wide th,.wide td{display:block;padding:2px 0;border:0}.wide td:empty{display:none}.wide td::before{content:attr(data-name) ': ';color:var(--quiet);font-weight:400}}
`

/** Renders the status as an HTML page without scripts. */
export function renderStatus(status: Status, now: Date): string {
  const { isHealthy, problems } = status
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${REFRESH_SECONDS}">
<title>${isHealthy ? 'Healthy' : `Problems: ${problems.length}`} · payment daemon</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<h1>Payment daemon: ${isHealthy ? html`<span class="good">healthy</span>` : html`<span class="bad">needs attention</span>`}</h1>
<p class="quiet">As of ${formatTime(now)} UTC. This page reloads every ${REFRESH_SECONDS} s.</p>
${isHealthy ? null : html`<ul class="problems">${problems.map((problem) => html`<li>${problem}</li>`)}</ul>`}
${renderNetworks(status)}
${renderService(status)}
${renderAlerts(status)}
${renderErrors(status)}
</body>
</html>
`
  return page.text
}

function renderNetworks({ networks }: Status): Html {
  return html`<h2>Networks</h2><div class="wide"><table>
<thead><tr><th scope="col">Network</th>${NETWORK_COLUMNS.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${networks.map(({ name, cells }) => html`<tr><th scope="row">${name}</th>${cells.map((cell, index) => renderCell(cell, NETWORK_COLUMNS[index]))}</tr>`)}</tbody>
</table></div>`
}

function renderService({ service }: Status): Html {
  return html`<h2>Charges and webhooks</h2><table class="pairs"><tbody>${service.map(
    (row) => html`<tr><th scope="row">${row.name}</th>${renderCell(row)}</tr>`,
  )}</tbody></table>`
}

function renderAlerts({ alerts }: Status): Html {
  return html`<h2>Alerts</h2>${describeAlerts(alerts)}`
}

function describeAlerts(alerts: Status['alerts']): Html {
  if (alerts === undefined)
    return html`<p class="quiet">Set PROMETHEUS_URL to show the alerts of Prometheus here.</p>`
  if (alerts === null) return html`<p class="bad">Prometheus did not return its alerts.</p>`
  if (alerts.length === 0) return html`<p class="good">None.</p>`
  return html`<table><tbody>${alerts.map(
    ({ name, summary, state }) =>
      html`<tr><th scope="row">${name}</th>${renderCell({ text: state, isBad: state === 'firing' })}<td>${summary}</td></tr>`,
  )}</tbody></table>`
}

function renderErrors({ errors }: Status): Html {
  if (errors.length === 0) return html`<h2>Last errors</h2><p class="good">None since the start.</p>`
  return html`<h2>Last errors</h2><div class="wide"><table>
<thead><tr><th scope="col">Last logged (UTC)</th><th scope="col">Message</th><th scope="col">Chain</th><th scope="col">Times</th></tr></thead>
<tbody>${errors.map(
    ({ message, chainId, times, lastAt }) =>
      html`<tr><td data-name="Last logged (UTC)">${formatTime(lastAt)}</td><td data-name="Message">${message}</td><td data-name="Chain">${chainId}</td><td data-name="Times">${times}</td></tr>`,
  )}</tbody></table></div>`
}

/** Renders a table cell. On a narrow screen, the column's name is shown before the value. */
function renderCell({ text, isBad }: Cell, column = ''): Html {
  return html`<td data-name="${column}"${isBad ? new Html(' class="bad"') : null}>${text}</td>`
}
