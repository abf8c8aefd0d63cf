import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'

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
}

type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly configs: { readonly roles: { readonly content: string } }
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>
}

const compose = parse(readFileSync(ours('compose.yaml'), 'utf8'), { merge: true }) as Compose
const dockerfile = readFileSync(ours('Dockerfile'), 'utf8')
const services = Object.entries(compose.services)

/** `NAME` of `${NAME:-default}` and `${NAME:?message}`. */
const VARIABLE = /\$\{(\w+)(?::[-?][^}]*)?\}/

describe('compose.yaml', () => {
  it('gives each role of PostgreSQL a secret of its own, and none the superuser’s', () => {
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

  it('refuses to start without a secret', () => {
    const values = services.flatMap(([, { environment = {} }]) => Object.entries(environment))
    const secret = values.filter(
      ([name]) => /PASSWORD|_URL$|SECRET|_KEY$/.test(name) && name !== 'CHECKOUT_BASE_URL',
    )
    expect(secret).to.have.length.at.least(7)
    for (const [name, value] of secret) expect(value, name).to.match(/\$\{\w+:\?[^}]+\}/)
  })

  for (const [name, service] of services) {
    it(`confines ${name}`, () => {
      expect(service.cap_drop).to.deep.equal(['ALL'])
      expect(service.security_opt).to.include('no-new-privileges:true')
      expect(service.read_only).to.equal(true)
      expect(service.privileged).to.equal(undefined)
      expect(service.tmpfs).to.include('/tmp')
      expect(service.mem_limit).to.match(/^(\$\{\w+:-)?\d+[mg]\}?$/)
    })
  }

  it('lets Ponder write where it must, and nowhere else', () => {
    const ponder = '/app/dist/indexer/ponder'
    const places = compose.services['indexer']?.tmpfs?.map((place) => place.split(':')[0])
    expect(places).to.have.members(['/tmp', `${ponder}/.ponder`])
    // The one file that it writes beside its configuration (ponder/dist/esm/bin/utils/codegen.js).
    expect(dockerfile).to.include('ln -sf /tmp/ponder-env.d.ts ponder-env.d.ts')
  })

  it('publishes the API alone, on loopback unless told otherwise', () => {
    const published = services.filter(([, { ports }]) => ports !== undefined)
    expect(published.map(([name]) => name)).to.deep.equal(['api'])
    expect(compose.services['api']?.ports).to.deep.equal(['${API_PUBLISH:-127.0.0.1:3000}:3000'])
  })

  it('lets PostgreSQL reach nothing outside', () => {
    expect(compose.services['postgres']?.networks).to.deep.equal(['database'])
    expect(compose.networks['database']?.internal).to.equal(true)
  })

  it('names images by variables, so that digests can be pinned', () => {
    const images = services.map(([, { image, build }]) => image ?? build?.args?.['NODE_IMAGE'])
    for (const image of images) expect(image).to.match(/^\$\{\w+_IMAGE:-[\w.-]+:[\w.-]+\}$/)
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    expect(new Set(bases)).to.deep.equal(new Set(['${NODE_IMAGE}']))
  })
})

function variableOf(text: string): string {
  const [, name] = VARIABLE.exec(text) ?? []
  if (name === undefined) throw new Error(`${text} names no variable`)
  return name
}
