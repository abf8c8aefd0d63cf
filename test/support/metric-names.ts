import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'

/** Directory of the files for operators. */
export const OPS = resolve(import.meta.dirname, '../../docs/ops')

/** A rule of docs/ops/alerts.yaml. */
export type Alert = {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}

/** A dashboard of docs/ops/dashboards. */
export type Dashboard = {
  readonly uid: string
  readonly schemaVersion: number
  readonly id?: unknown
  readonly panels: readonly {
    readonly title: string
    readonly datasource: { readonly uid: string }
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

export async function readAlerts(): Promise<readonly Alert[]> {
  const file = parse(await readFile(join(OPS, 'alerts.yaml'), 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly Alert[] }[]
  }
  return file.groups.flatMap(({ rules }) => rules)
}

export async function readDashboards(): Promise<readonly Dashboard[]> {
  const names = await readdir(join(OPS, 'dashboards'))
  const texts = await Promise.all(names.map((name) => readFile(join(OPS, 'dashboards', name), 'utf8')))
  return texts.map((text) => JSON.parse(text) as Dashboard)
}

/** Keywords of PromQL. `listMetrics` recognizes functions by the parenthesis after their name. */
const WORDS = new Set(['and', 'or', 'unless', 'by', 'on', 'bool', 'offset', 'inf'])

/** Returns the names of the metrics that a PromQL expression reads. */
export function listMetrics(expr: string): readonly string[] {
  const bare = expr
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, ' ')
    .replaceAll(/\b(by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
  const names = [...bare.matchAll(/\b[a-z_][a-z0-9_]*\b(?!\s*\()/gi)].map(([name]) => name)
  return [...new Set(names.filter((name) => !WORDS.has(name.toLowerCase())))]
}
