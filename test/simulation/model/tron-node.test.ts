import { expect } from 'chai'
import { privateKeyToAccount } from 'viem/accounts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { predictTronSplit } from '../../../shared/domain/chain-families/tron/predict-split.ts'
import {
  encodeSignedTransaction,
  encodeTronCall,
  toReferenceBlock,
  tronTransactionId,
} from '../../../shared/domain/chain-families/tron/raw-transaction.ts'
import { ANY_DISTRIBUTOR, encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { createChain, type ModelChain } from './chain.ts'
import type { ModelNode } from './model-node.ts'
import { answerRequest } from './node.ts'
import { balanceIn } from './state.ts'
import { TRON_FACTORY } from './tron.ts'

const START_MS = Date.parse('2026-11-20T12:00:00.000Z')
const CHAIN_ID = 0x2b6653dc
const SIGNER = privateKeyToAccount(`0x${'5e'.repeat(32)}`)
const OWNER = SIGNER.address.toLowerCase() as Address
const TOKEN = `0x${'70'.repeat(20)}` as Address
const MERCHANT = `0x${'a1'.repeat(20)}` as Address
const SPLIT = {
  ...{ recipients: [MERCHANT], allocations: [1_000_000], totalAllocation: 1_000_000 },
  distributionIncentive: 0,
}
const SALT: Hex = `0x${'11'.repeat(32)}`
const ADDRESS = predictTronSplit({ factory: TRON_FACTORY, split: SPLIT, salt: SALT })

describe('the model of a TRON node', () => {
  let chain: ModelChain
  let node: ModelNode

  beforeEach(() => {
    const random = createRandom(7)
    const terms = { chainId: CHAIN_ID, confirmations: 3, random, startMs: START_MS, aheadMs: 0 }
    chain = createChain({ ...terms, isTron: true })
    chain.tip().state.balances.set(`${TOKEN}/${ADDRESS}`, 100n)
    node = nodeOf(chain)
    mine(4)
  })

  it('has the chain id in the first block’s hash, and each block’s height in its hash', async () => {
    const { blockID } = await ask('wallet/getblockbynum', { num: 0 })
    expect(blockID).to.match(/^0{16}.*2b6653dc$/)
    expect((await ask('wallet/getblock', {}))['blockID']).to.match(/^0{15}4/)
  })

  it('shows only solidified blocks at /walletsolidity', async () => {
    expect((await ask('walletsolidity/getblock', {}))['blockID']).to.match(/^0{15}2/)
    expect(await ask('walletsolidity/getblock', { id_or_num: '3' })).to.deep.equal({})
  })

  it('pays a signed distribution once, and shows its result once its block is solidified', async () => {
    const { raw, txHash } = await sign()
    expect((await broadcast(raw))['result']).to.equal(true)
    expect((await broadcast(raw))['code']).to.equal('DUP_TRANSACTION_ERROR')
    mine(1)
    expect((await broadcast(raw))['code']).to.equal('DUP_TRANSACTION_ERROR')
    const info = () => ask('walletsolidity/gettransactioninfobyid', { value: txHash.slice(2) })
    expect(await info()).to.deep.equal({})
    mine(2)
    expect(await info()).to.deep.include({ blockNumber: 5, receipt: { result: 'SUCCESS' } })
    expect(balanceIn(chain.tip().state, TOKEN, MERCHANT)).to.equal(100n)
  })

  it('fails a transaction whose fee limit does not pay for its energy', async () => {
    const { raw, txHash } = await sign({ feeLimitSun: 20_000_000n })
    await broadcast(raw)
    mine(3)
    const info = await ask('walletsolidity/gettransactioninfobyid', { value: txHash.slice(2) })
    expect(info).to.deep.include({ result: 'FAILED' })
    expect(balanceIn(chain.tip().state, TOKEN, MERCHANT)).to.equal(0n)
  })

  it('refuses a transaction that has expired, is signed by another account, or refers to a block of another fork', async () => {
    expect((await broadcast((await sign({ lifeMs: -1 })).raw))['code']).to.equal(
      'TRANSACTION_EXPIRATION_ERROR',
    )
    expect((await broadcast((await sign({ owner: MERCHANT })).raw))['code']).to.equal('SIGERROR')
    const other = { number: 2, id: `0x${'00'.repeat(32)}` as Hex }
    expect((await broadcast((await sign({ reference: other })).raw))['code']).to.equal('TAPOS_ERROR')
  })

  it('includes no transaction after its expiration', async () => {
    const { raw, txHash } = await sign({ lifeMs: 1_000 })
    await broadcast(raw)
    chain.mine(START_MS + 60_000, 0)
    chain.mine(START_MS + 62_000)
    expect(chain.pool()).to.deep.equal([])
    expect(chain.wasDeep(txHash)).to.equal(false)
  })

  it('returns the energy of a simulated call, and a failed result if the call reverts', async () => {
    const call = (data: string) =>
      ask('wallet/triggerconstantcontract', { contract_address: formatTronAddress(TRON_FACTORY), data })
    expect(await call(DATA.slice(2))).to.deep.include({ result: { result: true }, energy_used: 190_000 })
    mine(1)
    await broadcast((await sign()).raw)
    mine(1)
    expect((await call(DATA.slice(2)))['transaction']).to.deep.equal({ ret: [{ ret: 'FAILED' }] })
  })

  it('refuses a call at a block number, and the fourth request of a second in mode limited', async () => {
    const rpc = (method: string, params: readonly unknown[]) =>
      answerRequest(node, { method, params }, START_MS) as Promise<Record<string, unknown>>
    const call = { to: TOKEN, data: '0x313ce567' }
    expect(await rpc('eth_call', [call, '0x1'])).to.have.property('error')
    node.mode = 'limited'
    const answers = []
    for (let count = 0; count < 4; count += 1) answers.push(await ask('wallet/getblock', {}))
    expect(answers.at(-1)).to.have.property('Error')
  })

  const DATA = encodeDistribution({ split: SPLIT, salt: SALT, token: TOKEN, distributor: ANY_DISTRIBUTOR })

  function ask(path: string, body: object): Promise<Record<string, unknown>> {
    return answerRequest(node, { method: path, params: [body], path }, START_MS) as never
  }

  function broadcast(raw: Hex): Promise<Record<string, unknown>> {
    return ask('wallet/broadcasthex', { transaction: raw.slice(2) })
  }

  type Signing = {
    readonly feeLimitSun?: bigint
    readonly lifeMs?: number
    readonly owner?: Address
    readonly reference?: { readonly number: number; readonly id: Hex }
  }

  async function sign({
    feeLimitSun = 100_000_000n,
    lifeMs = 60_000,
    owner = OWNER,
    reference,
  }: Signing = {}) {
    const { parent, timestamp } = chain.tip()
    const nowMs = timestamp * 1000
    const rawData = encodeTronCall({
      ...{ owner, to: TRON_FACTORY, data: DATA, valueSun: 0n, feeLimitSun },
      ...toReferenceBlock(reference ?? { number: parent?.number ?? 0, id: parent?.hash ?? '0x' }),
      ...{ expirationMs: BigInt(nowMs + lifeMs), timestampMs: BigInt(nowMs) },
    })
    const txHash = tronTransactionId(rawData)
    const signature = await SIGNER.sign({ hash: txHash })
    return { txHash, raw: encodeSignedTransaction({ rawData, signature }) }
  }

  function mine(blocks: number): void {
    for (let block = 1; block <= blocks; block += 1) chain.mine(START_MS + (chain.tip().number + 1) * 2_000)
    node.head = chain.tip()
  }
})

function nodeOf(chain: ModelChain): ModelNode {
  const token = { address: TOKEN, decimals: 6, restriction: null, domain: null }
  return {
    ...{ url: 'http://node-0.tron.example/jsonrpc', chain, head: chain.tip(), mode: 'well', lie: null },
    tokens: [{ ...token, emitter: { address: TOKEN, decimals: 6 } }],
    answered: { second: 0, count: 0 },
  }
}
