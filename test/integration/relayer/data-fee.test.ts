import { expect } from 'chai'
import { numberToHex, pad, parseTransaction } from 'viem'
import { readPayoutCost } from '../../../indexer/relayer/payout-cost.ts'
import { readDataFee } from '../../../shared/chain/data-fee/read-data-fee.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { DATA_FEES } from '../../../shared/domain/data-fees.ts'
import { NETWORKS } from '../../../shared/domain/networks.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { chainAt } from '../../support/chain-at.ts'
import {
  GAS_PRICE_ORACLE,
  NODE_INTERFACE,
  setGasPriceOracle,
  setNodeInterface,
} from '../../support/data-fee-oracles.ts'
import {
  addressOf,
  GAS_BOUNDS,
  GRACE_SECONDS,
  type PaidCharge,
  type Stage,
} from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const RELAYER = addressOf(ACCOUNTS.relayer.address)
const CALL = { to: RELAYER, data: `0x${'ab'.repeat(436)}`, gas: 300_000n } as const
/** Size of `CALL` as an unsigned transaction, in bytes: 436 of data, and 64 that we assume for all other fields. */
const BYTES = 500n
/** Fee per byte, in wei, at which a payout's data fee exceeds our limit. */
const DEAR = 2n * 10n ** 12n
/** Relayer terms with a maximum data fee far above any fee here. */
const ARBITRUM = { dataFee: { model: 'arbitrum', maxWei: 10n ** 18n } } as const

describe('the L1 data fee', function () {
  this.timeout(240_000)

  let stage: Stage
  let charge: PaidCharge
  let proxy: RpcProxy

  stageForEach(async (fresh) => {
    stage = fresh
    proxy = await startRpcProxy(stage.rpcUrl)
    charge = await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
  })

  afterEach(() => proxy.stop())

  const clientOf = (url: string) => createChainClient({ chainId: 31337, rpcUrls: [url] })
  const nodesOf = (url: string) => chainAt([url], { chainId: 31337 })

  it('is read with each network’s own model, and is zero without a fee contract', async () => {
    for (const network of NETWORKS)
      expect(await readDataFee(clientOf(stage.rpcUrl), DATA_FEES[network].model, CALL)).to.deep.equal({
        gas: 0n,
        besideWei: 0n,
      })
    await setGasPriceOracle(stage.node, { weiPerByte: 1000n, operatorWei: 77n })
    await setNodeInterface(stage.node, { gas: 4321n })
    const read = (network: 'base' | 'optimism' | 'arbitrum' | 'ethereum') =>
      readDataFee(clientOf(stage.rpcUrl), DATA_FEES[network].model, CALL)
    for (const network of ['base', 'optimism'] as const)
      expect(await read(network)).to.deep.equal({ gas: 0n, besideWei: BYTES * 1000n + 77n })
    expect(await read('arbitrum')).to.deep.equal({ gas: 4321n, besideWei: 0n })
    expect(await read('ethereum')).to.deep.equal({ gas: 0n, besideWei: 0n })
  })

  it('is read from a contract that predates the operator fee', async () => {
    await setGasPriceOracle(stage.node, { weiPerByte: 3n, operatorWei: null })
    const fee = await readDataFee(clientOf(stage.rpcUrl), 'op-stack', CALL)
    expect(fee.besideWei).to.equal(BYTES * 3n)
  })

  it('delays a payout while it is above our limit, which is not a failed attempt', async () => {
    await setGasPriceOracle(stage.node, { weiPerByte: DEAR, operatorWei: 0n })
    await stage.cast().turn()
    expect(await stage.relayerTransactions()).to.deep.equal([])
    expect(await stage.payoutOf(charge)).to.include({
      lastError: 'posting the call to L1 costs more than our bound now',
    })
    await setGasPriceOracle(stage.node, { weiPerByte: 1n, operatorWei: 0n })
    stage.advance(60)
    await stage.cast({ workerTerms: { attemptDelaysSeconds: [0] } }).turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('is not taken from a single node that invents it, even if that node is queried first', async () => {
    await setGasPriceOracle(stage.node, { weiPerByte: 1n, operatorWei: 0n })
    lieAboutPosting()
    await stage.cast({ rpcUrls: [proxy.url, stage.rpcUrl] }).turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('makes the payout wait if the only node reports a fee above our limit', async () => {
    await setGasPriceOracle(stage.node, { weiPerByte: 0n, operatorWei: 0n })
    const bounds = { gasBounds: GAS_BOUNDS, dataFee: DATA_FEES.base }
    const honest = await readPayoutCost(nodesOf(stage.rpcUrl), bounds)
    lieAboutPosting()
    await stage.cast({ rpcUrls: [proxy.url] }).turn()
    expect(await stage.relayerTransactions()).to.deep.equal([])
    expect((await readPayoutCost(nodesOf(proxy.url), bounds)) - honest).to.equal(DATA_FEES.base.maxWei)
  })

  it('is added to a payout’s cost on Base, and to its gas on Arbitrum', async () => {
    const nodes = nodesOf(stage.rpcUrl)
    const costOf = (network: 'base' | 'arbitrum') =>
      readPayoutCost(nodes, { gasBounds: GAS_BOUNDS, dataFee: DATA_FEES[network] })
    const [bare, bareToo] = [await costOf('base'), await costOf('arbitrum')]
    expect(bare).to.equal(bareToo)
    await setGasPriceOracle(stage.node, { weiPerByte: 10n ** 10n, operatorWei: 7n })
    await setNodeInterface(stage.node, { gas: 22_000n })
    expect((await costOf('base')) - bare).to.equal(900n * 10n ** 10n + 7n)
    expect(await costOf('arbitrum')).to.equal((bare * 242n) / 220n)
  })

  it('does not count toward `maxGas`, which limits only the gas for execution', async () => {
    const cast = stage.cast({ workerTerms: { maxGas: 1000n }, relayerTerms: ARBITRUM })
    await cast.turn()
    expect(await stage.relayerTransactions()).to.deep.equal([])
    await setNodeInterface(stage.node, { gas: 400_000n })
    stage.advance(30)
    await cast.turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('counts as a cost that our account must be able to pay before a rejected transaction is abandoned', async () => {
    await stage.cast().turn()
    const [signed] = await stage.relayerTransactions()
    const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(signed?.rawTransaction ?? '0x')
    // op-geth also requires funds for the data fee.
    proxy.rule((method) => {
      if (method === 'eth_sendRawTransaction')
        return { error: { code: -32000, message: 'insufficient funds for gas * price + value' } }
      return method === 'eth_getTransactionByHash' ? { result: null } : 'pass'
    })
    await stage.emptyPool()
    await setGasPriceOracle(stage.node, { weiPerByte: 0n, operatorWei: 1000n })
    const { relayer } = stage.cast({
      rpcUrls: [proxy.url],
      relayerTerms: { replaceAfterSeconds: 100_000 },
    })
    await stage.node.setBalance({ address: RELAYER, value: gas * maxFeePerGas + 999n })
    await relayFor(600)
    expect(await stage.relayerTransactions()).to.have.length(1)
    await stage.node.setBalance({ address: RELAYER, value: gas * maxFeePerGas + 1000n })
    await relayFor(30)
    expect(await stage.relayerTransactions(), 'the balance now covers the fee').to.have.length(2)

    async function relayFor(seconds: number): Promise<void> {
      for (let passed = 0; passed < seconds; passed += 30) {
        stage.advance(30)
        await relayer.turn()
      }
    }
  })

  function lieAboutPosting(): void {
    const result = pad(numberToHex(2n ** 200n))
    const oracles = [GAS_PRICE_ORACLE, NODE_INTERFACE].map((address) => address.toLowerCase())
    proxy.rule((method, [call]) =>
      method === 'eth_call' && oracles.includes(String(Object(call).to).toLowerCase()) ? { result } : 'pass',
    )
  }
})
