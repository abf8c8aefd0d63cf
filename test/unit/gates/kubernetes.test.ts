import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse, parseAllDocuments } from 'yaml'
import { createInternalServer } from '../../../shared/runtime/internal-server.ts'
import { createMetrics } from '../../../shared/runtime/metrics.ts'
import { API_SETTINGS, INDEXER_SETTINGS, MIGRATION_SETTINGS } from '../../../shared/runtime/settings.ts'
import { readImage } from '../../support/image.ts'
import { type Facts, findManifestProblems, type Manifest } from '../../support/manifest-rules.ts'
import { ours } from './plant.ts'

const FOLDER = 'docs/ops/kubernetes'

type Kustomization = {
  readonly resources: readonly string[]
  readonly images: readonly { readonly name: string; readonly newTag?: string; readonly digest?: string }[]
}

const kustomization = parse(read('kustomization.yaml')) as Kustomization
const image = readImage()
const place = (tmpfs: readonly string[]) => tmpfs.map((path) => path.split(':')[0] ?? '')
const { API_PORT, API_INTERNAL_PORT } = API_SETTINGS.properties
const portOf = (setting: { readonly [key: string]: unknown }) => Number(setting['default'])

const facts: Facts = {
  uid: image.uid,
  image: kustomization.images[0]?.name ?? '',
  processes: {
    api: {
      command: image.commands.api,
      writable: place(image.tmpfs.api),
      settings: Object.keys(API_SETTINGS.properties),
      ports: { public: portOf(API_PORT), internal: portOf(API_INTERNAL_PORT) },
      secrets: ['payments-both', 'payments-api'],
    },
    indexer: {
      command: image.commands.indexer,
      writable: place(image.tmpfs.indexer),
      settings: Object.keys(INDEXER_SETTINGS.properties),
      ports: { internal: portOf(INDEXER_SETTINGS.properties.INDEXER_INTERNAL_PORT) },
      secrets: ['payments-both', 'payments-indexer'],
    },
    migrate: {
      command: image.commands.migrate,
      writable: place(image.tmpfs.migrate),
      settings: Object.keys(MIGRATION_SETTINGS.properties),
      ports: {},
      secrets: ['payments-owner'],
    },
  },
}

/** Maximum time that a migration waits for tables that other sessions use (docs/upgrades.md). */
const LOCK_WAIT_SECONDS = 150

/** Edits of the manifests that each break a rule, and a part of the check's message. */
const BREACHES: readonly (readonly [title: string, into: string, problem: string])[] = [
  ['runAsUser: 1000', 'runAsUser: 0', 'not root'],
  ['runAsNonRoot: true', 'runAsNonRoot: false', 'not root'],
  ['readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false', 'writes nothing'],
  ['drop: [ALL]', 'drop: [NET_RAW]', 'has no capabilities'],
  ['allowPrivilegeEscalation: false', 'allowPrivilegeEscalation: true', 'has no capabilities'],
  ['enableServiceLinks: false', 'enableServiceLinks: true', 'variables of other services'],
  ['automountServiceAccountToken: false', 'automountServiceAccountToken: true', 'no cluster token'],
  ['image: stablecoin-payments', 'image: node:22', 'uses our image'],
  ['dist/api/main.js', 'api/main.ts', 'runs the image’s command'],
  ['limits: { memory: 1Gi }', 'limits: {}', 'memory limit'],
  ['mountPath: /tmp', 'mountPath: /app', 'writes only where'],
  [', sizeLimit: 64Mi', '', 'size limit'],
  ['name: API_DRAIN_SECONDS', 'name: API_DRAINING_SECONDS', 'only existing settings'],
  ['name: API_HOST', 'name: CURSOR_SECRET', 'none of them secret'],
  ['secretRef: { name: payments-api }', 'secretRef: { name: payments-indexer }', 'only its own secrets'],
  ['containerPort: 3000', 'containerPort: 8080', 'listens on'],
  ['httpGet: { path: /livez', 'httpGet: { path: /readyz', 'event loop'],
  ['terminationGracePeriodSeconds: 30', 'terminationGracePeriodSeconds: 10', 'time to stop'],
  ['maxUnavailable: 0', 'maxUnavailable: 1', 'before its replacement is ready'],
  ['kind: PodDisruptionBudget', 'kind: Other', 'no disruption budget'],
  ['targetPort: public', 'targetPort: http', 'port that no pod has'],
  ['component: api }\n  ports:', 'component: web }\n  ports:', 'selects no pod'],
  ['policyTypes: [Ingress, Egress]', 'policyTypes: [Ingress]', 'deny by default'],
  ['- { port: 3000, protocol: TCP }', '- { port: 22, protocol: TCP }', 'where no process listens'],
  ['169.254.0.0/16, ', '', 'cloud’s metadata'],
]

describe('the manifests for Kubernetes', () => {
  const texts = kustomization.resources.map(read)

  it('belong to one kustomization, and the image has a fixed tag or a digest', () => {
    expect([...kustomization.resources, 'kustomization.yaml'].toSorted()).to.deep.equal(
      readdirSync(ours(FOLDER)).toSorted(),
    )
    for (const { newTag, digest } of kustomization.images)
      expect(digest ?? newTag).to.match(/^(sha256:[0-9a-f]{64}|(?!latest$)[\w.-]+)$/)
  })

  it('follow every rule', () => {
    expect(findManifestProblems(manifestsOf(texts), facts)).to.deep.equal([])
  })

  for (const [title, into, problem] of BREACHES)
    it(`are rejected with ${into.trim().split('\n')[0] || `a missing ${title}`}`, () => {
      const broken = texts.map((text) => text.replace(title, into))
      expect(broken).not.to.deep.equal(texts)
      expect(findManifestProblems(manifestsOf(broken), facts).join('\n')).to.include(problem)
    })

  it('have probes only for /livez and /readyz, which the processes serve', async () => {
    const metrics = createMetrics({ service: 'probed' })
    const server = createInternalServer({ host: '127.0.0.1', port: 0, metrics, checks: {} })
    const port = await server.start()
    try {
      const paths = new Set(
        texts.flatMap((text) => [...text.matchAll(/path: (\/\w+)/g)].map(([, path]) => path)),
      )
      expect([...paths]).to.have.members(['/livez', '/readyz'])
      for (const path of paths)
        expect((await fetch(`http://127.0.0.1:${port}${path}`)).status, path).to.equal(200)
    } finally {
      await server.stop()
    }
  })

  it('wait for the migrations for as long as these may wait for tables in all attempts of the job', () => {
    const [job] = manifestsOf([read('migrate.yaml')])
    const backoffLimit = Number(job?.spec.backoffLimit)
    const upgrades = readFileSync(ours('docs/upgrades.md'), 'utf8')
    const pending = upgrades.match(/^\| `\d{6}_/gm)?.length ?? 0
    const [, minutes] = /--timeout=(\d+)m job\/payments-migrate/.exec(read('kustomization.yaml')) ?? []
    // Kubernetes starts a failed job again after 10 s, and doubles the delay each time.
    const restsSeconds = 10 * (2 ** backoffLimit - 1)
    expect(pending).to.be.above(0)
    expect(Number(minutes) * 60).to.be.at.least((pending + backoffLimit) * LOCK_WAIT_SECONDS + restsSeconds)
  })

  it('state how to create their secrets from the files that the operations guide creates', () => {
    const said = read('kustomization.yaml')
    expect(said.indexOf('create namespace payments')).to.be.within(0, said.indexOf('create secret'))
    expect(said).to.include('kubectl exec')
    expect(said).to.include('for reader in both api indexer owner; do').and.to.include('payments-networks')
    const guide = readFileSync(ours('docs/operations.md'), 'utf8')
    for (const reader of ['both', 'api', 'indexer', 'owner', 'operator'])
      expect(guide).to.include(`$CONF/${reader}.env"`)
  })
})

function read(file: string): string {
  return readFileSync(ours(`${FOLDER}/${file}`), 'utf8')
}

function manifestsOf(texts: readonly string[]): readonly Manifest[] {
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest))
}
