import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'

import { API_SETTINGS, INDEXER_SETTINGS, MIGRATION_SETTINGS } from '../../../shared/runtime/settings.ts'
import { ours } from './plant.ts'

type Service = {
  readonly image?: string
  readonly build?: { readonly args?: Readonly<Record<string, string>> }
  readonly ports?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly read_only?: boolean
  readonly privileged?: boolean
  readonly tmpfs?: readonly string[]
  readonly mem_limit?: string
  readonly networks?: readonly string[]
  readonly profiles?: readonly string[]
  readonly volumes?: readonly string[]
  readonly secrets?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
}

type Alertmanager = {
  readonly route: { readonly receiver: string; readonly routes: readonly { readonly receiver: string }[] }
  readonly receivers: readonly { readonly name: string }[]
}

type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly configs: { readonly roles: { readonly content: string } }
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>
  readonly secrets: Readonly<Record<string, { readonly environment?: string; readonly file?: string }>>
}

const compose = parse(readFileSync(ours('compose.yaml'), 'utf8'), { merge: true }) as Compose
const dockerfile = readFileSync(ours('Dockerfile'), 'utf8')
const services = Object.entries(compose.services)

/** Matches `NAME` in `${NAME:-default}` and `${NAME:?message}`. */
const VARIABLE = /\$\{(\w+)(?::[-?][^}]*)?\}/

describe('compose.yaml', () => {
  it('gives each PostgreSQL role its own secret, different from the superuser’s', () => {
    const created = [
      ...compose.configs.roles.content.matchAll(/create role (\w+) login .*password '([^']*)'/g),
    ]
    const secrets = new Map(created.map(([, role = '', secret = '']) => [role, variableOf(secret)]))
    expect([...secrets.keys()]).to.include.members([
      'payments_owner',
      'payments_api',
      'payments_daemon',
      'payments_ponder',
    ])
    const superuser = variableOf(compose.services['postgres']?.environment?.['POSTGRES_PASSWORD'] ?? '')
    const all = [superuser, ...secrets.values()]
    expect(new Set(all).size, all.join()).to.equal(all.length)

    const users = services.flatMap(([, { environment = {} }]) =>
      Object.values(environment).flatMap((value) => [
        ...value.matchAll(/^postgres:\/\/(\w+):(\$\{[^}]*\})@postgres\/payments$/g),
      ]),
    )
    expect(users).to.have.length.at.least(3)
    for (const [, role = '', secret = ''] of users)
      expect(variableOf(secret), role).to.equal(secrets.get(role))
  })

  it('refuses to start if a secret is missing', () => {
    const values = services.flatMap(([, { environment = {} }]) => Object.entries(environment))
    const secret = values.filter(
      ([name]) => /PASSWORD$|_URL$|SECRET|_KEY$/.test(name) && name !== 'CHECKOUT_BASE_URL',
    )
    expect(secret).to.have.length.at.least(7)
    for (const [name, value] of secret) expect(value, name).to.match(/\$\{\w+:\?[^}]+\}/)
  })

  for (const [name, service] of services) {
    it(`gives the service ${name} no capabilities, a read-only file system and a memory limit`, () => {
      expect(service.cap_drop).to.deep.equal(['ALL'])
      expect(service.security_opt).to.include('no-new-privileges:true')
      expect(service.read_only).to.equal(true)
      expect(service.privileged).to.equal(undefined)
      expect(service.tmpfs).to.include('/tmp')
      expect(service.mem_limit).to.match(/^(\$\{\w+:-)?\d+[mg]\}?$/)
    })
  }

  it('lets Ponder write only to /tmp and its .ponder folder', () => {
    const ponder = '/app/dist/indexer/ponder'
    const places = compose.services['indexer']?.tmpfs?.map((place) => place.split(':')[0])
    expect(places).to.have.members(['/tmp', `${ponder}/.ponder`])
    // The only file that Ponder writes next to its configuration (ponder/dist/esm/bin/utils/codegen.js).
    expect(dockerfile).to.include('ln -sf /tmp/ponder-env.d.ts ponder-env.d.ts')
  })

  it('publishes only the API and the dashboards, by default on loopback', () => {
    const published = services.flatMap(([name, { ports }]) => (ports === undefined ? [] : [[name, ...ports]]))
    expect(published).to.deep.equal([
      ['api', '${API_PUBLISH:-127.0.0.1:3000}:3000'],
      ['grafana', '${GRAFANA_PUBLISH:-127.0.0.1:3001}:3000'],
    ])
    expect(API_SETTINGS.properties.API_PORT['default']).to.equal(3000)
  })

  it('gives PostgreSQL and Prometheus no access to outside networks', () => {
    expect(compose.services['postgres']?.networks).to.deep.equal(['database'])
    expect(compose.services['prometheus']?.networks).to.deep.equal(['watched'])
    for (const name of ['database', 'watched']) expect(compose.networks[name]?.internal, name).to.equal(true)
  })

  it('sets only variables that the process reads', () => {
    const schemas = { api: API_SETTINGS, indexer: INDEXER_SETTINGS, migrate: MIGRATION_SETTINGS }
    for (const [name, { properties }] of Object.entries(schemas)) {
      const set = Object.keys(compose.services[name]?.environment ?? {})
      expect(set, name).not.to.deep.equal([])
      expect(
        set.filter((setting) => !Object.hasOwn(properties, setting)),
        name,
      ).to.deep.equal([])
    }
  })

  it('has a health check for each permanent service, and checks our processes at /readyz', () => {
    for (const [name, { healthcheck }] of services)
      if (name !== 'migrate' && name !== 'operator') expect(healthcheck?.test[0], name).to.equal('CMD')
    const asked = (name: string) => compose.services[name]?.healthcheck?.test.join(' ')
    const ports = {
      api: API_SETTINGS.properties.API_INTERNAL_PORT,
      indexer: INDEXER_SETTINGS.properties.INDEXER_INTERNAL_PORT,
    }
    for (const [name, port] of Object.entries(ports))
      expect(asked(name)).to.include(`http://127.0.0.1:${String(port['default'])}/readyz`)
  })

  it('starts four services by default, and the monitoring services in the profile observability', () => {
    const always = services.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name)
    expect(always).to.deep.equal(['postgres', 'migrate', 'api', 'indexer'])
    const watching = services.filter(([, { profiles }]) => profiles?.join() === 'observability')
    expect(watching.map(([name]) => name)).to.deep.equal(['prometheus', 'alertmanager', 'grafana'])
  })

  it('mounts only existing files, read-only, and uses all declared secrets, which its header lists', () => {
    const mounts = services
      .flatMap(([, { volumes = [] }]) => volumes)
      .filter((volume) => volume.startsWith('./'))
    expect(mounts).to.have.length.at.least(6)
    for (const mount of mounts) {
      const [from = '', , mode] = mount.split(':')
      expect(existsSync(ours(from)), from).to.equal(true)
      expect(mode, from).to.equal('ro')
    }
    const used = services.flatMap(([, { secrets = [] }]) => secrets)
    expect([...new Set(used)].toSorted()).to.deep.equal(Object.keys(compose.secrets).toSorted())
    const head = readFileSync(ours('compose.yaml'), 'utf8').split('\nx-')[0]
    for (const { environment, file = '' } of Object.values(compose.secrets))
      expect(head).to.include(environment ?? VARIABLE.exec(file)?.[1])
  })

  it('passes NETWORKS_CONFIG to api, indexer and operator, and OPERATOR_DATABASE_URL to operator only', () => {
    for (const name of ['api', 'indexer', 'operator']) {
      expect(compose.services[name]?.secrets, name).to.include('networks')
      expect(compose.services[name]?.environment?.['NETWORKS_CONFIG']).to.equal(
        // oxlint-disable-next-line no-template-curly-in-string -- a variable of compose
        '${NETWORKS_CONFIG:+/run/secrets/networks}',
      )
    }
    const operators = services.filter(([, { environment = {} }]) => 'OPERATOR_DATABASE_URL' in environment)
    expect(operators.map(([name]) => name)).to.deep.equal(['operator'])
    expect(compose.services['operator']?.profiles).to.deep.equal(['commands'])
  })

  it('connects Prometheus to api, indexer and Alertmanager, and Grafana to Prometheus and the dashboards', () => {
    const prometheus = readFileSync(ours('docs/ops/prometheus.yaml'), 'utf8')
    const targets = [...prometheus.matchAll(/targets: \["(\w+):(\d+)"\]/g)].map(
      ([, host, port]) => `${host}:${port}`,
    )
    expect(targets).to.deep.equal(['alertmanager:9093', 'api:9464', 'indexer:9465'])
    for (const target of targets) {
      const service = compose.services[target.split(':')[0] ?? '']
      expect(service?.networks, target).to.include('watched')
    }
    const alerts = parse(readFileSync(ours('docs/ops/alertmanager.yaml'), 'utf8')) as Alertmanager
    const names = alerts.receivers.map(({ name }) => name)
    expect(names).to.include.members([
      alerts.route.receiver,
      ...alerts.route.routes.map(({ receiver }) => receiver),
    ])
    expect(JSON.stringify(alerts.receivers)).to.include('/run/secrets/alert_webhook_url')
    const sources = readFileSync(ours('docs/ops/grafana/datasources.yaml'), 'utf8')
    expect(sources).to.include('url: http://prometheus:9090')
    const boards = readFileSync(ours('docs/ops/grafana/dashboards.yaml'), 'utf8')
    const folder = /path: (\S+)/.exec(boards)?.[1]
    expect(compose.services['grafana']?.volumes).to.include(`./docs/ops/dashboards:${folder}:ro`)
  })

  it('takes each image from a variable, so that its digest can be pinned', () => {
    const images = services.map(([, { image, build }]) => image ?? build?.args?.['NODE_IMAGE'])
    for (const image of images) expect(image).to.match(/^\$\{\w+_IMAGE:-[\w./-]+:(?!latest\})[\w.-]+\}$/)
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    expect(new Set(bases)).to.deep.equal(new Set(['${NODE_IMAGE}']))
  })
})

function variableOf(text: string): string {
  const [, name] = VARIABLE.exec(text) ?? []
  if (name === undefined) throw new Error(`${text} is not a variable`)
  return name
}
