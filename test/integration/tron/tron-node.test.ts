import { expect } from 'chai'
import type { TronWeb } from 'tronweb'
import { erc20Abi, type Hex, numberToHex } from 'viem'

import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { tronDeployedAddress } from '../../../shared/domain/chain-families/tron/contract-address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../../devnet/tron/addresses.ts'
import { TRANSFER_EVENT } from '../../support/transfer-event.ts'
import {
  addressOf,
  createTronFixture,
  FEE_LIMIT_SUN,
  mintUsdt,
  type TronFixture,
  trigger,
} from '../../support/tron-fixture.ts'

const MERCHANT = addressOf(ACCOUNTS.merchant)
const PAYER = addressOf(ACCOUNTS.payer)

describe('a local TRON chain', function () {
  this.timeout(240_000)

  let stage: TronFixture
  let payer: TronWeb

  before(async () => {
    stage = await createTronFixture()
    payer = stage.walletOf(ACCOUNTS.payer)
    await mintUsdt(stage, PAYER, 1_000_000_000n)
  })

  after(() => stage.stop())

  afterEach(() => {
    Object.assign(stage.chain.habits, { refusedPercent: 0, lagBlocks: 0, drops: 0, hasNullFields: false })
  })

  const pay = (units: bigint, feeLimit = FEE_LIMIT_SUN) =>
    trigger(payer, {
      ...{ to: TRON_USDT, signature: 'transfer(address,uint256)', feeLimit },
      args: [
        { type: 'address', value: formatTronAddress(MERCHANT) },
        { type: 'uint256', value: String(units) },
      ],
    })
  const infoOf = (id: string, api = 'wallet') => post(`/${api}/gettransactioninfobyid`, { value: id })
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${stage.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
    return (await response.json()) as Record<string, unknown>
  }
  const rpc = (method: string, params: readonly unknown[] = []) =>
    post('/jsonrpc', { jsonrpc: '2.0', id: 1, method, params })
  const errorOf = async (method: string, params: readonly unknown[] = []) =>
    (await rpc(method, params))['error'] as { code: number; message: string; data: unknown } | undefined
  const mine = async (blocks: number) => {
    for (let count = 0; count < blocks; count += 1) await stage.chain.mine()
  }

  it('includes a USDT transfer that tronweb sends, and viem reads it from the logs', async () => {
    const { signed, answer } = await pay(7_000_000n)
    expect(answer).to.include({ result: true, txid: signed.txID })
    const block = await stage.chain.mine()
    const [log, ...others] = await stage.client.getLogs({
      ...{ address: TRON_USDT, event: TRANSFER_EVENT, args: { to: MERCHANT } },
      ...{ fromBlock: BigInt(block.number), toBlock: BigInt(block.number) },
    })
    expect(others).to.deep.equal([])
    expect(log).to.deep.include({ transactionHash: `0x${signed.txID}`, blockHash: block.hash, logIndex: 0 })
    expect(log?.args).to.deep.equal({
      from: ACCOUNTS.payer.address,
      to: ACCOUNTS.merchant.address,
      value: 7_000_000n,
    })
    expect(await stage.client.getChainId()).to.equal(TRON_CHAIN_ID)
  })

  it('derives the address of a contract from its transaction and owner, as tronweb does', async () => {
    // Init code that deploys a single STOP instruction.
    const transaction = await payer.transactionBuilder.createSmartContract(
      { abi: '[]', bytecode: '6001600c60003960016000f300', feeLimit: FEE_LIMIT_SUN, name: 'Stop' },
      formatTronAddress(PAYER),
    )
    await payer.trx.sendRawTransaction(await payer.trx.sign(transaction))
    await stage.chain.mine()
    const address = tronDeployedAddress({ txId: `0x${transaction.txID}`, owner: PAYER })
    expect((await infoOf(transaction.txID))['contract_address']).to.equal(`41${address.slice(2)}`)
    expect(await stage.client.getCode({ address })).to.equal('0x00')
  })

  describe('reproduces the quirks of the protocol:', () => {
    it('in the HTTP API, only block 0 identifies the chain: a client that does not check it can pay on the wrong chain', async () => {
      const { blockID } = await post('/wallet/getblockbynum', { num: 0 })
      expect(Number.parseInt(String(blockID).slice(-8), 16)).to.equal(TRON_CHAIN_ID)
    })

    it('USDT returns false after a successful transfer: a client that trusts the result treats the payout as failed and never pays it out', async () => {
      const before = await balance()
      const { signed } = await pay(1_000_000n)
      await stage.chain.mine()
      const info = await infoOf(signed.txID)
      expect(info['contractResult']).to.deep.equal(['0'.repeat(64)])
      expect(info['receipt']).to.deep.include({ result: 'SUCCESS' })
      expect(await balance()).to.equal(before + 1_000_000n)
    })

    it('a token fee is deducted from a transfer: a client that counts the sent amount counts too much', async () => {
      const deployer = stage.walletOf(ACCOUNTS.deployer)
      const setFee = async (points: number, most: number) => {
        const args = [points, most].map((value) => ({ type: 'uint256', value: String(value) }))
        await trigger(deployer, { to: TRON_USDT, signature: 'setParams(uint256,uint256)', args })
        await stage.chain.mine()
      }
      await setFee(10, 40)
      const before = await balance()
      await pay(10_000_000n)
      await stage.chain.mine()
      expect(await balance()).to.equal(before + 9_990_000n)
      await setFee(0, 0)
    })

    it('a blacklisted account cannot send: money paid to a blacklisted split is stuck', async () => {
      const deployer = stage.walletOf(ACCOUNTS.deployer)
      const list = async (name: string) => {
        const args = [{ type: 'address', value: formatTronAddress(PAYER) }]
        await trigger(deployer, { to: TRON_USDT, signature: `${name}(address)`, args })
        await stage.chain.mine()
      }
      await list('addBlackList')
      const { signed } = await pay(1n)
      await mintUsdt(stage, PAYER, 1n)
      expect((await infoOf(signed.txID))['receipt']).to.deep.include({ result: 'REVERT' })
      await list('removeBlackList')
    })

    it('a broadcast result of true means only that the transaction is in the pool, which may drop it: a client that trusts the result never pays', async () => {
      stage.chain.habits.drops = 1
      const { signed, answer } = await pay(1n)
      expect(answer).to.include({ result: true })
      await mine(2)
      expect(await infoOf(signed.txID)).to.deep.equal({})
      // The same bytes are accepted again, and still make only one payment.
      expect(await payer.trx.sendRawTransaction(signed)).to.include({ result: true })
      await stage.chain.mine()
      expect(await infoOf(signed.txID)).to.include({ id: signed.txID })
    })

    it('a resent transaction is rejected as DUP_TRANSACTION_ERROR: a client that treats this as a failure pays twice', async () => {
      const { signed } = await pay(1n)
      expect(await payer.trx.sendRawTransaction(signed)).to.include({ code: 'DUP_TRANSACTION_ERROR' })
      await stage.chain.mine()
      expect(await payer.trx.sendRawTransaction(signed)).to.include({ code: 'DUP_TRANSACTION_ERROR' })
      expect((await infoOf(signed.txID))['receipt']).to.deep.include({ result: 'SUCCESS' })
    })

    it('a transaction expires a minute after its creation: a client that only rebroadcasts it waits indefinitely', async () => {
      const { signed } = await (async () => {
        stage.chain.habits.drops = 1
        return pay(1n)
      })()
      await mine(21)
      expect(await payer.trx.sendRawTransaction(signed)).to.include({ code: 'TRANSACTION_EXPIRATION_ERROR' })
    })

    it('a transaction is invalid on a branch without its reference block: a client cannot send the same bytes again', async () => {
      await stage.chain.mine()
      const { transaction } = await payer.transactionBuilder.triggerSmartContract(
        ...([`41${TRON_USDT.slice(2)}`, 'balanceOf(address)', { feeLimit: FEE_LIMIT_SUN }] as const),
        [{ type: 'address', value: formatTronAddress(PAYER) }],
      )
      const signed = await payer.trx.sign(transaction)
      await stage.chain.fork({ depth: 1 })
      expect(await payer.trx.sendRawTransaction(signed)).to.include({ code: 'TAPOS_ERROR' })
    })

    it('a result is solidified 18 blocks later: a client that trusts the first result settles orphaned payments', async () => {
      const { signed } = await pay(1n)
      await stage.chain.mine()
      expect(await infoOf(signed.txID)).to.include({ id: signed.txID })
      await mine(17)
      expect(await infoOf(signed.txID, 'walletsolidity')).to.deep.equal({})
      await stage.chain.mine()
      expect(await infoOf(signed.txID, 'walletsolidity')).to.include({ id: signed.txID })
      const [solid, head] = await Promise.all([blockNumber('finalized'), blockNumber('latest')])
      expect(head - solid).to.equal(18n)
    })

    it('a fork of two blocks moves or removes a payment: a client that credits immediately credits twice', async () => {
      const { signed: kept } = await pay(2n)
      const orphaned = await stage.chain.mine()
      const { signed: lost } = await pay(3n)
      await stage.chain.mine()
      await stage.chain.fork({ depth: 2, without: [`0x${lost.txID}`], later: true })
      expect(await rpc('eth_getBlockByHash', [orphaned.hash, false])).to.include({ result: null })
      const receipt = await stage.client.getTransactionReceipt({ hash: `0x${kept.txID}` })
      expect(receipt.blockNumber).to.equal(BigInt(orphaned.number + 2))
      expect(await infoOf(lost.txID)).to.deep.equal({})
    })

    it('a request for the logs of an orphaned block returns an error, not an empty list: a client that retries waits a minute', async () => {
      const { hash } = await stage.chain.mine()
      stage.chain.habits.beforeLogs = () => stage.chain.fork({ depth: 1 })
      const error = await errorOf('eth_getLogs', [{ blockHash: hash }])
      expect(error).to.deep.equal({ code: -32602, message: 'invalid blockHash', data: '{}' })
    })

    it('a busy node returns 200 without a JSON-RPC envelope: a client that ignores this reads an empty chain', async () => {
      stage.chain.habits.refusedPercent = 100
      expect(await rpc('eth_getLogs', [{}])).to.have.keys('Error')
      expect(await infoOf('00')).to.have.keys('Error')
      expect(await stage.client.request({ method: 'eth_blockNumber' })).to.equal(undefined)
    })

    it('a range whose ends are more than 5,000 blocks apart is rejected: a client that requests a day gets no logs', async () => {
      const range = (toBlock: number) => [{ fromBlock: '0x0', toBlock: numberToHex(toBlock) }]
      expect(await errorOf('eth_getLogs', range(5_001))).to.include({
        ...{ code: -32602, message: 'exceed max block range: 5000' },
      })
      expect(await errorOf('eth_getLogs', range(5_000))).to.equal(undefined)
    })

    it('a range above the head is truncated silently: a client that records the whole range as read skips later blocks', async () => {
      const head = stage.chain.head().number
      const { result } = await rpc('eth_getLogs', [{ fromBlock: '0x0', toBlock: numberToHex(head + 100) }])
      const heights = (result as { blockNumber: Hex }[]).map((log) => Number(log.blockNumber))
      expect(Math.max(...heights)).to.be.at.most(head)
    })

    it('a block hash together with a range is rejected, and so are more than a thousand addresses', async () => {
      const { hash } = stage.chain.head()
      expect(await errorOf('eth_getLogs', [{ blockHash: hash, fromBlock: '0x0' }])).to.include({
        code: -32602,
      })
      const address = Array(1_001).fill(TRON_USDT)
      expect(await errorOf('eth_getLogs', [{ address }])).to.include({
        message: 'exceed max addresses: 1000',
      })
    })

    it('the tags safe and pending are unsupported: a client that requires them never starts', async () => {
      for (const tag of ['safe', 'pending'])
        expect(await errorOf('eth_getBlockByNumber', [tag, false]), tag).to.include({ code: -32602 })
    })

    it('only the latest state is available: a client cannot read the state at an earlier block', async () => {
      const head = stage.chain.head().number
      for (const tag of [numberToHex(head), 'finalized', 'earliest'])
        expect(await errorOf('eth_getCode', [TRON_USDT, tag]), tag).to.include({ code: -32602 })
      expect(await stage.client.getCode({ address: TRON_USDT })).to.match(/^0x60/)
    })

    it('the bloom filter of a block is empty even if the block contains logs: a client that trusts the filters sees no payment', async () => {
      await pay(1n)
      const { hash } = await stage.chain.mine()
      const block = await stage.client.getBlock({ blockHash: hash })
      expect(block.transactions).to.have.lengthOf(1)
      expect(BigInt(block.logsBloom ?? 0)).to.equal(0n)
    })

    it('JSON-RPC neither sends transactions nor counts nonces: an EVM relayer does not work here', async () => {
      for (const method of ['eth_sendRawTransaction', 'eth_getTransactionCount'])
        expect(await errorOf(method, []), method).to.include({ code: -32601 })
    })

    it('an older node returns nulls instead of numbers: a client that requires numbers aborts its backfill', async () => {
      await pay(1n)
      const { hash } = await stage.chain.mine()
      stage.chain.habits.hasNullFields = true
      const { result } = await rpc('eth_getBlockByHash', [hash, true])
      const { nonce, transactions } = result as { nonce: unknown; transactions: readonly object[] }
      expect(nonce).to.equal(null)
      expect(transactions[0]).to.include({ nonce: null, v: null, r: null, s: null, value: null })
    })

    it('one node lags behind another: a client that uses the lagging head goes backwards', async () => {
      const head = stage.chain.head().number
      stage.chain.habits.lagBlocks = 1
      expect(await stage.client.getBlockNumber({ cacheTime: 0 })).to.equal(BigInt(head - 1))
    })

    it('an invalid instruction costs the whole fee_limit: a client with a high limit burns all of it', async () => {
      const limit = 5_000_000
      // Init code that deploys a single INVALID instruction.
      const transaction = await payer.transactionBuilder.createSmartContract(
        { abi: '[]', bytecode: '6001600c60003960016000f3fe', feeLimit: FEE_LIMIT_SUN, name: 'Burn' },
        formatTronAddress(PAYER),
      )
      await payer.trx.sendRawTransaction(await payer.trx.sign(transaction))
      await stage.chain.mine()
      const to = tronDeployedAddress({ txId: `0x${transaction.txID}`, owner: PAYER })
      const { signed } = await trigger(payer, { to, signature: 'any()', args: [], feeLimit: limit })
      await stage.chain.mine()
      const { receipt, result } = await infoOf(signed.txID)
      expect(result).to.equal('FAILED')
      expect(receipt).to.deep.include({ result: 'ILLEGAL_OPERATION', energy_fee: limit })
    })

    it('a call with too low a fee_limit fails and still costs its fee: a client that sets the limit too low pays a fee for nothing', async () => {
      const { signed } = await pay(1n, 100_000)
      await stage.chain.mine()
      expect((await infoOf(signed.txID))['receipt']).to.deep.include({
        ...{ result: 'OUT_OF_ENERGY', energy_fee: 100_000 },
      })
    })

    it('the bytes of a transaction cost TRX, too: a client that counts only energy runs out of TRX', async () => {
      await mine(1)
      const { signed } = await pay(1n)
      await stage.chain.mine()
      const { receipt } = await infoOf(signed.txID)
      expect((receipt as { net_fee: number }).net_fee).to.be.within(300_000, 400_000)
    })
  })

  const balance = () =>
    stage.client.readContract({
      ...{ address: TRON_USDT, abi: erc20Abi, functionName: 'balanceOf', args: [MERCHANT] },
    })
  const blockNumber = async (blockTag: 'latest' | 'finalized') =>
    (await stage.client.getBlock({ blockTag })).number
})
