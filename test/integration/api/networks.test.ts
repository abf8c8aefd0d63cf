import { expect } from 'chai'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'

describe('GET /v1/networks', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey({ scopes: [] }))
  })
  after(() => api.stop())
  afterEach(async () => {
    await api.owner`update pairs set paused_at = null, enabled = true`
    await api.owner`update deployments set contracts_match = true`
  })

  const list = async (withKey = key): Promise<string[]> =>
    (await call(api, 'GET /v1/networks', { key: withKey })).body.acceptedPayments.map(
      (pair: { token: string; network: string }) => `${pair.token}/${pair.network}`,
    )

  it("lists the enabled pairs of the key's environment", async () => {
    expect(await list()).to.deep.equal(['USDC/base', 'USDT/base', 'USDT/bnb'])
    const test = await api.issueKey({ environment: 'test' })
    expect(await list(test.key)).to.deep.equal(['USDC/base'])
  })

  it('omits paused and disabled pairs', async () => {
    await api.owner`update pairs set paused_at = now() where token = 'USDC'`
    await api.owner`update pairs set enabled = false where network = 'bnb'`
    expect(await list()).to.deep.equal(['USDT/base'])
  })

  it('omits networks whose contracts differ from ours or have not been read yet', async () => {
    await api.owner`update deployments set contracts_match = false where network = 'base'`
    await api.owner`update deployments set contracts_match = null where network = 'bnb'`
    expect(await list()).to.deep.equal([])
  })
})
