import { expect } from 'chai'
import { deleteStaleSignablePairs } from '../../../indexer/pay-by-signature/delete-stale-signable-pairs.ts'
import { createSignablePairPublisher } from '../../../indexer/pay-by-signature/publish-signable-pairs.ts'
import { micro } from '../../../shared/domain/money.ts'
import { readIndexerConfig } from '../../../shared/runtime/indexer-config.ts'
import type { TokenConfig } from '../../../shared/runtime/networks-config.ts'
import { chainAt } from '../../support/chain-at.ts'
import type { Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { recordingLog } from '../../support/recording-log.ts'

const CHAIN_ID = 31337

describe('the pairs published for payment by signature', function () {
  this.timeout(60_000)
  let stage: Stage

  stageForEach((fresh) => {
    stage = fresh
  })

  function offerOf(changes: Partial<TokenConfig> = {}, rpcUrl = stage.rpcUrl) {
    const { log, lines } = recordingLog()
    const token: TokenConfig = {
      ...{ token: 'USDC', address: stage.token, decimals: 6, restriction: null, enabled: true },
      ...{ authorization: { name: 'USD Coin', version: '2' }, ...changes },
    }
    const withheld: number[] = []
    const { turn } = createSignablePairPublisher({
      ...{ sql: stage.daemonSql, chain: chainAt([rpcUrl]), log },
      ...{
        tokens: [token],
        minimumMicro: micro(2_000_000n),
        dailyGasLimit: 400_000,
        clock: () => stage.time.now,
      },
      metrics: { setWithheld: (count) => withheld.push(count) },
    })
    return { turn, lines, withheld }
  }

  const offered = () =>
    stage.sql`select token_address, domain_name, minimum_micro, daily_gas_limit from signable_pairs`

  it('contain the token’s domain name, minimum and daily gas limit', async () => {
    await offerOf().turn()
    expect(await offered()).to.deep.equal([
      { tokenAddress: stage.token, domainName: 'USD Coin', minimumMicro: 2_000_000n, dailyGasLimit: 400_000 },
    ])
  })

  for (const [title, changes] of [
    ['is configured with a wrong domain name', { authorization: { name: 'USDC', version: '2' } }],
    ['supports no signatures', { authorization: null }],
    ['is not enabled', { enabled: false }],
  ] as const) {
    it(`exclude a token that ${title}`, async () => {
      await offerOf(changes).turn()
      expect(await offered()).to.deep.equal([])
    })
  }

  it('are deleted, with a log line and a metric, if the configured domain no longer matches the token’s', async () => {
    const first = offerOf()
    await first.turn()
    expect(first.withheld).to.deep.equal([0])
    const { turn, lines, withheld } = offerOf({ authorization: { name: 'USDC', version: '2' } })
    await turn()
    expect(withheld).to.deep.equal([1])
    expect(await offered()).to.deep.equal([])
    expect(lines.map(({ msg }) => msg)).to.include('Payment by signature is disabled for a token')
  })

  it('exclude a token whose domain no node has returned yet', async () => {
    await offerOf({}, 'http://127.0.0.1:9').turn()
    expect(await offered()).to.deep.equal([])
  })

  it('are kept while no node responds to a daemon that has just started', async () => {
    await offerOf().turn()
    await offerOf({}, 'http://127.0.0.1:9').turn()
    expect(await offered()).to.have.length(1)
  })

  it('are not written again within a minute, unless the published values differ or the row is missing', async () => {
    const written = async () => (await stage.sql`select xmin, ctid, * from signable_pairs`)[0]
    const { turn } = offerOf()
    await turn()
    const first = await written()
    await turn()
    expect(await written()).to.deep.equal(first)
    await stage.sql`update signable_pairs set daily_gas_limit = 1`
    await turn()
    expect(await written()).to.deep.include({ dailyGasLimit: 400_000 })
    await stage.sql`delete from signable_pairs`
    await turn()
    expect(await offered()).to.have.length(1)
  })

  it('are renewed if they are older than a minute', async () => {
    const { turn } = offerOf()
    await turn()
    await stage.sql`update signable_pairs set refreshed_at = now() - interval '9 minutes'`
    await turn()
    expect(
      await stage.sql`select from signable_pairs where refreshed_at > now() - interval '1 minute'`,
    ).to.have.length(1)
  })

  it('are deleted by a daemon that watches the chain but does not support payments by signature', async () => {
    await offerOf().turn()
    const env = {
      ...{ TREASURY_ADDRESS: '0x00000000000000000000000000000000000000AA', DEPLOYMENTS: 'base:live' },
      ...{
        INDEXER_DATABASE_URL: 'postgres://i@127.0.0.1/p',
        PONDER_DATABASE_URL: 'postgres://p@127.0.0.1/p',
      },
    }
    const config = readIndexerConfig(env)
    const deployments = config.deployments.map((deployment) => ({ ...deployment, chainId: CHAIN_ID }))
    await deleteStaleSignablePairs(stage.daemonSql, config)
    expect(await offered(), 'the daemon watches another chain').to.have.length(1)
    await deleteStaleSignablePairs(stage.daemonSql, { ...config, deployments })
    expect(await offered()).to.deep.equal([])
  })
})
