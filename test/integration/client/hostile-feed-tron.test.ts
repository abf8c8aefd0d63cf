import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { erc20Abi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createKeeper, type KeeperChain } from '../../../api/client/create-keeper.ts'
import { createTronKeeper } from '../../../api/client/tron-keeper.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { allocate, distribute } from '../../../shared/domain/allocation.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { getDistributionFeeLimitSun } from '../../../shared/domain/chain-families/tron/distribution-fee-limit.ts'
import {
  getTronImplementation,
  predictTronSplit,
} from '../../../shared/domain/chain-families/tron/predict-split.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { type Percent, parsePercent } from '../../../shared/domain/percent.ts'
import { presentDistribution } from '../../../shared/domain/present-distribution.ts'
import { chargeSalt, predictSplitAddress } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { compiled } from '../../devnet/compiled.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../../devnet/tron/addresses.ts'
import {
  encodeTerms,
  HOSTILE_OFFERS,
  type Offer,
  relayChanges,
  serveFeed,
} from '../../support/hostile-feed.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { addressOf, mintUsdt } from '../../support/tron-fixture.ts'
import { startTronChain, type TronChainFixture } from '../../support/tron-payout-fixture.ts'

const USDT = TRON_USDT as Address
const KEEPER = addressOf(ACCOUNTS.keeper)
/** Maximum fee of one transaction in sun, according to the parameters of TRON's committee. */
const ALL_THERE_IS = '15000000000'

/** Faults that are possible only in offers on TRON. */
const ON_TRON: typeof HOSTILE_OFFERS = {
  'an address in EVM format': [
    (offer) => ({ ...offer, factoryAddress: `0x${'41'.repeat(20)}` }),
    'factoryAddress',
  ],
  'an address with a wrong checksum': [
    ({ splitAddress, ...offer }) => ({
      ...offer,
      splitAddress: `${splitAddress.slice(0, -1)}${splitAddress.endsWith('1') ? '2' : '1'}`,
    }),
    'splitAddress',
  ],
}

describe('a keeper on TRON with a hostile feed', function () {
  this.timeout(240_000)

  let tron: TronChainFixture
  let server: Server
  let ticking: ReturnType<typeof setInterval>
  let offered: readonly unknown[]
  let signed: Hex[]

  before(async () => {
    tron = await startTronChain()
    for (let blocks = 0; blocks < 20; blocks += 1) await tron.chain.mine()
    ticking = setInterval(() => void tron.chain.mine(), 200)
    server = await serveFeed(() => offered)
  })
  beforeEach(() => {
    signed = []
  })
  after(async () => {
    clearInterval(ticking)
    server.closeAllConnections()
    server.close()
    await tron.stop()
  })

  for (const [title, [change, reason]] of Object.entries({ ...HOSTILE_OFFERS, ...ON_TRON })) {
    it(`signs nothing for an offer with ${title}`, async () => {
      offered = [change(offerOf(charge(1_000_000_000n)))]
      const lines = await keep()
      expect(signed).to.deep.equal([])
      expect(lines.filter(({ msg }) => msg === 'Rejected a distribution from the feed')).to.have.length(1)
      expect(String(lines[0]?.['reason'])).to.include(reason)
    })
  }

  it('signs nothing for the address that the same terms have on EVM chains', async () => {
    const made = charge(1_000_000_000n)
    const place = { factory: tron.factory, implementation: getTronImplementation(tron.factory) }
    const elsewhere = predictSplitAddress({ ...place, split: made.split, salt: chargeSalt(made.chargeId) })
    offered = [{ ...offerOf(made), splitAddress: formatTronAddress(elsewhere) }]
    const [line] = await keep()
    expect(signed).to.deep.equal([])
    expect(String(line?.['reason'])).to.include('splitAddress')
  })

  it('builds the only valid call itself: to the factory, without TRX, with the keeper’s own fee limit', async () => {
    const made = await paid(1_000_000_000n)
    const honest = offerOf(made)
    const hostile = Object.values(HOSTILE_OFFERS).map(([change]) => change(honest))
    offered = [...hostile, null, { ...honest, call: { ...honest.call, feeLimit: ALL_THERE_IS } }]
    await keep()
    expect(signed).to.have.length(1)
    const { contract, feeLimitSun } = tron.chain.find(signed[0] ?? '0x')?.transaction ?? {}
    expect(contract).to.deep.equal({
      ...{ type: 'TriggerSmartContract', owner: KEEPER, to: tron.factory, callValueSun: 0n },
      data: encodeTerms(honest, {}, [KEEPER]),
    })
    expect(Number(feeLimitSun)).to.be.within(1, Number(getDistributionFeeLimitSun({ recipients: 2 })) - 1)
    expect(await balanceOf(made.splitAddress)).to.equal(0n)
    const { incentive } = distribute({ amount: atomic(1_000_000_000n), split: made.split })
    expect(await balanceOf(KEEPER)).to.equal(incentive)
  })

  it('computes the reward from the split’s balance on chain and ignores the feed’s value', async () => {
    offered = [{ ...offerOf(await paid(1n)), estimatedRewardAmount: 1_000_000 }]
    const lines = await keep()
    expect(signed).to.deep.equal([])
    expect(lines[0]).to.include({
      msg: 'Skipped a distribution that is unprofitable or needs too much gas',
      reward_usd: 0,
    })
  })

  it('drops a distribution once the feed reports its TRON address as claimed', async () => {
    const made = await paid(1_000_000_000n)
    const keeper = keeperAt(tron.url)
    const { splitAddress, network, token } = offerOf(made)
    keeper.hear({ type: 'distribution.available', distribution: offerOf(made) })
    keeper.hear({ type: 'distribution.claimed', splitAddress, network, token })
    expect(await keeper.turn()).to.equal('idle')
  })

  it('signs nothing above the maximum energy of a distribution, even if its own node estimates more', async () => {
    const made = await paid(1_000_000_000n)
    const node = await serveDearNode(tron.url)
    const { log, lines } = recordingLog()
    const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
    // The price of TRX is so low that the distribution would be profitable.
    const keeper = keeperAt(url, { log, coinUsd: 0.000_001 })
    keeper.hear({ type: 'distribution.available', distribution: offerOf(made) })
    await keeper.turn()
    node.close()
    node.closeAllConnections()
    expect(signed).to.deep.equal([])
    expect(lines[0]).to.include({ msg: 'Skipped a distribution that is unprofitable or needs too much gas' })
  })

  it('does not start if the configured factory does not have our code', async () => {
    const directory = await temporaryDirectory('keeper')
    const file = join(directory, 'networks.json')
    // The token stands for any contract with other code.
    await writeFile(file, JSON.stringify({ tron: { live: { splitFactory: formatTronAddress(USDT) } } }))
    const args = [await compiled('api/client/keeper.ts'), '--rpc', `tron=${tron.url}/jsonrpc`]
    const output = await new Promise<string>((done) => {
      const keys = { KEEPER_API_KEY: 'svc_live_none', KEEPER_PRIVATE_KEY: ACCOUNTS.keeper.privateKey }
      const env = { NETWORKS_CONFIG: file, KEEPER_API_URL: 'http://127.0.0.1:9', ...keys }
      execFile(process.execPath, args, { env, timeout: 120_000 }, (_, stdout, stderr) =>
        done(stdout + stderr),
      )
    })
    expect(output).to.match(/the contracts there could not be matched with this release: (differ|missing)/)
  })

  function charge(amount: bigint) {
    const chargeId = newId('ch', Date.now())
    const fresh = (seed: string) => `0x${chargeSalt(`${seed} of ${chargeId}`).slice(-40)}` as Address
    const allocation = allocate({
      ...{ feePercent: percentOf('1'), distributorFeePercent: percentOf('0.1'), splitRecipients: [] },
      ...{ merchant: fresh('merchant'), treasury: fresh('treasury') },
    })
    if (!allocation.ok) throw new Error(allocation.code)
    const { split } = allocation
    const splitAddress = predictTronSplit({ factory: tron.factory, split, salt: chargeSalt(chargeId) })
    return { chargeId, split, splitAddress, amount }
  }

  async function paid(amount: bigint) {
    const made = charge(amount)
    await mintUsdt(tron, made.splitAddress, amount)
    return made
  }

  function offerOf({ chargeId, split, splitAddress, amount }: ReturnType<typeof charge>): Offer {
    return presentDistribution({
      ...{ chargeId, splitAddress, family: 'tron', network: 'tron', token: 'USDT', chainId: TRON_CHAIN_ID },
      ...{ tokenAddress: USDT, decimals: 6, splitTerms: { ...split, factory: tron.factory } },
      ...{ isDeployed: false, owedAtomic: atomic(amount) },
      ...{ availableSince: new Date(), graceEndsAt: new Date() },
    })
  }

  function balanceOf(account: Address): Promise<bigint> {
    return tron.client.readContract({
      ...{ address: USDT, abi: erc20Abi, functionName: 'balanceOf', args: [account] },
    })
  }

  /** Passes all offers to the keeper and runs its turns until no offer is left. Returns the keeper's log. */
  async function keep() {
    const { log, lines } = recordingLog()
    const keeper = keeperAt(tron.url, { log })
    await relayChanges(server, keeper.hear)
    for (let outcome = 'more'; outcome === 'more'; ) outcome = await keeper.turn()
    return lines
  }

  function keeperAt(url: string, { log = recordingLog().log, coinUsd = 0.01 } = {}) {
    const chain = createTronKeeper({
      ...{ account: recordingAccount(signed), rpcUrl: `${url}/jsonrpc`, coinUsd },
      chain: {
        ...{ network: 'tron', family: 'tron', chainId: TRON_CHAIN_ID, factory: tron.factory },
        tokens: [{ token: 'USDT', address: USDT, decimals: 6 }],
      },
    })
    return createKeeper({ chains: new Map<string, KeeperChain>([['tron', chain]]), margin: 1.2, log })
  }
})

/** Creates the keeper's account, which records each hash that it signs. */
function recordingAccount(signed: Hex[]) {
  const account = privateKeyToAccount(ACCOUNTS.keeper.privateKey)
  return {
    ...account,
    sign: ({ hash }: { readonly hash: Hex }) => {
      signed.push(hash)
      return account.sign({ hash })
    },
  }
}

/** Starts a node that forwards every request, but reports 100 times the energy of a call. */
async function serveDearNode(url: string): Promise<Server> {
  const server = createServer((request, response) => {
    const pass = async () => {
      const body = await text(request)
      const answer = await fetch(`${url}${request.url}`, { method: 'POST', body })
      const json = (await answer.json()) as { energy_used?: number }
      const { energy_used: used } = json
      response.end(JSON.stringify(used === undefined ? json : { ...json, energy_used: used * 100 }))
    }
    pass().catch(() => response.writeHead(502).end())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return server
}

function percentOf(written: string): Percent {
  const percent = parsePercent(written, { maxFractionDigits: 4 })
  if (percent === null) throw new Error(`${written} is not a percentage`)
  return percent
}
