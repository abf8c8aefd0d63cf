import { expect } from 'chai'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { ApiConfig } from '../../../shared/runtime/api-config.ts'
import { mergeNetworks } from '../../../shared/runtime/merge-networks.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'

const USDC_BASE = { token: 'USDC', network: 'base' }
const USDT_BASE = { token: 'USDT', network: 'base' }
const USDT_BNB = { token: 'USDT', network: 'bnb' }

/** Changes that remove USDT on bnb from the API's configuration, while the daemon's rows still enable the pair. */
const CHANGES: Readonly<Record<string, (config: ApiConfig) => ApiConfig>> = {
  'its deployment is no longer configured': (config) => ({
    ...config,
    deployments: config.deployments.filter(({ network }) => network !== 'bnb'),
  }),
  'its token is disabled': (config) => ({
    ...config,
    deployments: config.deployments.map((deployment) => ({
      ...deployment,
      tokens: deployment.tokens.map((token) => ({ ...token, enabled: deployment.network !== 'bnb' })),
    })),
  }),
  'its nodes have fewer operators than its quorum': (config) => ({
    ...config,
    deployments: config.deployments.map((one) => (one.network === 'bnb' ? bnbOfOneOperator() : one)),
  }),
}

function bnbOfOneOperator(): DeploymentConfig {
  const live = { rpcUrls: ['http://127.0.0.1:9/one', 'http://127.0.0.1:9/two'] }
  const [bnb] = mergeNetworks({
    registry: REGISTRY,
    file: { bnb: { live } },
    selection: 'bnb:live',
  }).deployments
  if (bnb === undefined) throw new Error('the registry has no bnb')
  return bnb
}

describe('a pair that is no longer configured for the API', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
  })
  after(() => api.stop())

  for (const [title, change] of Object.entries(CHANGES)) {
    describe(`because ${title}`, () => {
      let changed: Pick<TestApi, 'baseUrl' | 'routes' | 'stop'>

      before(async () => {
        changed = await api.startAnother(change)
      })
      after(() => changed.stop())
      afterEach(async () => {
        await api.owner`update pairs set paused_at = null, enabled = true`
        await api.owner`update deployments set contracts_match = true`
      })

      const create = (acceptedPayments: readonly object[], body: object = {}): Promise<Answer> =>
        createAt(changed, acceptedPayments, body)

      it('is not listed', async () => {
        const { acceptedPayments } = (await call(changed, 'GET /v1/networks', { key })).body
        expect(acceptedPayments).to.deep.equal([USDC_BASE, USDT_BASE])
      })

      it('is rejected, while other pairs are accepted', async () => {
        expectError(await create([USDC_BASE, USDT_BNB]), '422 token_not_supported', 'acceptedPayments[1]')
        expect((await create([USDC_BASE, USDT_BASE])).status).to.equal(201)
      })

      it('is reported in the order of the request, like other unavailable pairs', async () => {
        await api.owner`update pairs set enabled = false where network = 'base' and token = 'USDT'`
        const first = await create([USDC_BASE, USDT_BASE, USDT_BNB])
        expectError(first, '422 token_not_supported', 'acceptedPayments[1]')
        const second = await create([USDC_BASE, USDT_BNB, USDT_BASE])
        expectError(second, '422 token_not_supported', 'acceptedPayments[1]')
      })

      it('is reported after validation errors and before temporary errors', async () => {
        await api.owner`update pairs set paused_at = now() where network = 'base'`
        await api.owner`update deployments set contracts_match = null where network = 'bnb'`
        const pairs = [USDC_BASE, USDT_BNB]
        expectError(await create(pairs), '422 token_not_supported', 'acceptedPayments[1]')
        // A check of the releaser would query chains that are unreachable here.
        expectError(await create(pairs, { escrow: {} }), '422 token_not_supported', 'acceptedPayments[1]')
        expectError(await create(pairs, { amount: 0 }), '400 validation_error', 'amount')
        const nobody = { escrow: { releaserAddress: `0x${'0'.repeat(40)}` } }
        expectError(await create(pairs, nobody), '400 validation_error', 'escrow.releaserAddress')
      })

      it('does not prevent a repeated request from returning its existing charge', async () => {
        const body = { idempotencyKey: `before ${title}` }
        expectError(await create([USDT_BNB], body), '422 token_not_supported', 'acceptedPayments[0]')
        const made = await createAt(api, [USDT_BNB], body)
        expect(made.status, made.text).to.equal(201)
        const replayed = await create([USDT_BNB], body)
        expect(replayed.status, replayed.text).to.equal(201)
        expect(replayed.headers.get('idempotent-replayed')).to.equal('true')
        expect(replayed.body.id).to.equal(made.body.id)
        const other = await create([USDT_BNB], { ...body, amount: 11 })
        expectError(other, '409 idempotency_key_reused', 'idempotencyKey')
      })
    })
  }

  const createAt = (
    at: Pick<TestApi, 'baseUrl' | 'routes'>,
    acceptedPayments: readonly object[],
    body: object,
  ): Promise<Answer> =>
    call(at, 'POST /v1/charges', { key, body: { amount: 10, expiresIn: 600, acceptedPayments, ...body } })
})
