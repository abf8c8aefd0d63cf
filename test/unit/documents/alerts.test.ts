import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import packageJson from '../../../package.json' with { type: 'json' }
import { type Alert, listMetrics, OPS, readAlerts, readDashboards } from '../../support/metric-names.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../..')
const RUNBOOK = readFileSync(join(REPOSITORY, 'docs/runbook.md'), 'utf8')

/** The runbook's sections about alerts, by heading. */
const SECTIONS = new Map(
  (RUNBOOK.split('\n# Procedures without an alert')[0] ?? '')
    .split(/^## /m)
    .slice(2)
    .map((section) => [section.split('\n')[0] ?? '', section] as const),
)

describe('the alerts', () => {
  let alerts: readonly Alert[]

  before(async () => {
    alerts = await readAlerts()
  })

  it('have one runbook section each, and each section has an alert', () => {
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook_url).to.equal(`docs/runbook.md#${alert.toLowerCase()}`)
    expect([...SECTIONS.keys()].toSorted()).to.deep.equal(alerts.map(({ alert }) => alert).toSorted())
  })

  it('have a severity, a duration and a summary of one line', () => {
    for (const { alert, labels, annotations, for: lasting } of alerts) {
      expect(labels.severity, alert).to.be.oneOf(['page', 'ticket'])
      expect(lasting, alert).to.match(/^\d+[mh]$/)
      expect(annotations.summary, alert).to.match(/^[A-Z].{10,}$/)
    }
  })

  it('have one test case each in which they fire, and share one in which none fires', () => {
    const { tests } = parse(readFileSync(join(OPS, 'alerts.test.yaml'), 'utf8')) as {
      readonly tests: readonly { readonly name: string }[]
    }
    const cases = tests.map(({ name }) => name)
    expect(cases).to.have.members([
      'nothing fires while all is well',
      ...alerts.map(({ alert }) => `${alert} fires`),
    ])
  })

  const title = 'have valid rules, and fire as their test cases state'
  if (!hasPromtool()) console.log(`  skipped, because promtool is not installed: the alerts ${title}`)
  else it(title, checkWithPromtool).timeout(240_000)

  function checkWithPromtool(): void {
    execFileSync('promtool', ['check', 'rules', 'alerts.yaml'], { cwd: OPS, stdio: 'pipe' })
    execFileSync('promtool', ['test', 'rules', 'alerts.test.yaml'], { cwd: OPS, stdio: 'pipe' })
  }
})

describe('the runbook', () => {
  it('states the meaning, diagnosis, action and cost of waiting for each alert', () => {
    for (const [name, section] of SECTIONS)
      for (const part of [/\*\*Means\*\*/, /\*\*Look\*\*/, /\*\*[Dd]o\*\*/, /\*\*Waiting costs\*\*/])
        expect(section, name).to.match(part)
  })

  it('has no broken link to its own sections', () => {
    const anchors = new Set(
      [...RUNBOOK.matchAll(/^##? (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, '')
          .replaceAll(' ', '-'),
      ),
    )
    for (const [, anchor = ''] of RUNBOOK.matchAll(/\]\(#([^)]+)\)/g)) expect(anchors).to.include(anchor)
  })

  it('names only existing commands and settings, and quotes actual log lines', () => {
    for (const [, command = ''] of RUNBOOK.matchAll(/npm run ([\w-]+)/g))
      expect(packageJson.scripts).to.have.property(command)
    const settings = readFileSync(join(REPOSITORY, '.env.example'), 'utf8')
    for (const [, setting = ''] of RUNBOOK.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g))
      expect(settings).to.include(setting)
    const sources = sourcesOf(['indexer', 'api', 'shared'])
    for (const [, sentence = ''] of RUNBOOK.replaceAll('\n', ' ').matchAll(/"([A-Z][^"…]{10,})"/g))
      expect(sources.includes(sentence), sentence).to.equal(true)
  })

  it('names only metrics that our sources define, or standard process metrics', () => {
    const sources = sourcesOf(['indexer', 'api', 'shared'])
    for (const [, name = ''] of RUNBOOK.matchAll(/`([a-z]+(?:_[a-z]+){2,})`/g))
      expect(
        sources.includes(name.replace(/_(count|sum|bucket)$/, '')) || name.startsWith('process_'),
        name,
      ).to.equal(true)
  })
})

describe('the dashboards', () => {
  it('use a data source that is chosen on import, and contain no id of a Grafana instance', async () => {
    for (const { uid, schemaVersion, panels, ...board } of await readDashboards()) {
      expect(board, uid).not.to.have.property('id')
      expect(schemaVersion, uid).to.equal(39)
      for (const { title, datasource, targets } of panels) {
        expect(datasource.uid, title).to.equal(['$', '{datasource}'].join(''))
        expect(
          targets.flatMap(({ expr }) => listMetrics(expr)),
          title,
        ).not.to.have.length(0)
      }
    }
  })
})

describe('the metric names in PromQL', () => {
  it('are all words except functions, labels and keywords', () => {
    expect(
      listMetrics(
        'histogram_quantile(0.9, sum by (chain_id, le) (rate(a_bucket{x=~"5..",y="z"}[30m]))) > on (chain_id) 2 * max by (chain_id) (b_c) and d offset 5m',
      ),
    ).to.deep.equal(['a_bucket', 'b_c', 'd'])
  })
})

function hasPromtool(): boolean {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function sourcesOf(rooms: readonly string[]): string {
  return rooms
    .flatMap((room) =>
      readdirSync(join(REPOSITORY, room), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(REPOSITORY, room, path),
      ),
    )
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
}
