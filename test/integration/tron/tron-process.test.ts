import { rm } from 'node:fs/promises'
import { expect } from 'chai'
import { createPublicClient, http } from 'viem'

import type { Split } from '../../../shared/domain/allocation.ts'
import { presentAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { predictTronSplit } from '../../../shared/domain/chain-families/tron/predict-split.ts'
import { chargeSalt } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { presentNetworks } from '../../devnet/networks.ts'
import { PRESENTED_TRON_ACCOUNTS, TRON_ACCOUNTS, toTronAddress } from '../../devnet/tron/accounts.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../../devnet/tron/addresses.ts'
import { type RunningTron, startTron } from '../../devnet/tron/start-tron.ts'
import { TRON_PLAN } from '../../devnet/tron/tron-plan.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { addressOf } from '../../support/tron-fixture.ts'
import { createStranger, type IndependentClient } from '../../support/tronweb-client.ts'

const USDT = toTronAddress({ address: TRON_USDT })
const { tronPayer, tronMerchant } = PRESENTED_TRON_ACCOUNTS

/** The chain that the devnet starts. Here it mines blocks only when the test requests them. */
describe('a local TRON chain in its own process', function () {
  this.timeout(120_000)

  let directory: string
  let tron: RunningTron
  let stranger: IndependentClient

  before(async () => {
    directory = await temporaryDirectory('tron')
    tron = await startTron({ name: 'tron', blockMs: 0, directory })
    stranger = createStranger({ httpUrl: tron.httpUrl, privateKey: tronPayer.privateKey })
  })

  after(async () => {
    await tron?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  const control = async (name: string, body: object): Promise<Record<string, unknown>> => {
    const request = { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${tron.httpUrl}/control/${name}`, request)
    return (await response.json()) as Record<string, unknown>
  }
  const client = () => createPublicClient({ transport: http(tron.rpcUrl, { retryCount: 0 }), cacheTime: 0 })

  it('starts with our factory, and with TRX and USDT for the payer', async () => {
    expect(await client().getChainId()).to.equal(TRON_CHAIN_ID)
    expect(await client().getCode({ address: tron.factory })).to.have.length.above(2)
    expect(await stranger.balanceOf(USDT, tronPayer.address)).to.equal(10n ** 15n)
    expect(await stranger.trxOf(tronPayer.address)).to.equal(10 ** 12)
    expect(await stranger.trxOf(tronMerchant.address)).to.equal(10 ** 12)
  })

  it('is described in devnet.json in the format that programs read', () => {
    const deployed = [{ token: 'USDT', address: TRON_USDT, decimals: 6 }] as const
    const { factory, httpUrl } = tron
    expect(presentNetworks([{ ...TRON_PLAN, anvil: tron, deployed, factory, httpUrl }], 2)).to.deep.equal({
      tron: {
        live: {
          ...{ rpcUrl: `${httpUrl}/jsonrpc`, httpUrl, chainId: 728126428, confirmations: 19, quorum: 1 },
          factory: presentAddress(factory, 'tron'),
          tokens: { USDT: { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 } },
        },
      },
    })
  })

  it('lets an external tronweb client pay, read the payment, and find the split', async () => {
    const chargeId = 'ch_0123456789abcdefghijkl'
    const split: Split = {
      recipients: [addressOf(TRON_ACCOUNTS.tronMerchant), addressOf(ACCOUNTS.treasury)],
      allocations: [990_991, 9_009],
      ...{ totalAllocation: 1_000_000, distributionIncentive: 1_000 },
    }
    const ours = predictTronSplit({ factory: tron.factory, split, salt: chargeSalt(chargeId) })
    const address = await stranger.splitAddress({
      ...{ ...split, chargeId, factory: presentAddress(tron.factory, 'tron') },
      recipients: split.recipients.map((recipient) => presentAddress(recipient, 'tron')),
    })
    expect(address).to.equal(presentAddress(ours, 'tron'))

    const before = await stranger.balanceOf(USDT, tronPayer.address)
    const id = await stranger.pay({ token: USDT, to: address, units: 25_000_000n })
    await control('mine', { blocks: 1 })
    expect(await stranger.balanceOf(USDT, address)).to.equal(25_000_000n)
    expect(await stranger.balanceOf(USDT, tronPayer.address)).to.equal(before - 25_000_000n)
    expect(await stranger.tronWeb.trx.getUnconfirmedTransactionInfo(id)).to.include({ id })
    // Confirmed reads of tronweb see only blocks that are at least 18 blocks deep.
    expect(await stranger.tronWeb.trx.getTransactionInfo(id)).to.deep.equal({})
    await control('mine', { blocks: 18 })
    expect((await stranger.tronWeb.trx.getTransactionInfo(id)).receipt).to.include({ result: 'SUCCESS' })
    expect(await stranger.trxOf(tronPayer.address)).to.be.below(10 ** 12)
  })

  it('returns the energy, bandwidth and blocks that wallets query with tronweb', async () => {
    const { trx, transactionBuilder } = stranger.tronWeb
    const [usdt, parameters] = [
      [USDT, 'transfer(address,uint256)', {}] as const,
      [
        { type: 'address', value: tronMerchant.address },
        { type: 'uint256', value: '1' },
      ],
    ]
    const { energy_required } = await transactionBuilder.estimateEnergy(...usdt, parameters)
    expect(energy_required).to.be.within(10_000, 100_000)
    expect(await trx.getAccountResources(tronMerchant.address)).to.include({ freeNetLimit: 600 })
    expect(await trx.getEnergyPrices()).to.equal('0:100')
    const { txid } = await trx.broadcastHex(await signedHex())
    await control('mine', { blocks: 1 })
    const { blockID, transactions } = await trx.getCurrentBlock()
    expect(transactions?.map(({ txID }) => txID)).to.deep.equal([txid])
    expect((await trx.getBlockByHash(blockID)).blockID).to.equal(blockID)
  })

  /** Returns a signed transfer of TRX in the serialization format that some wallets send. */
  const signedHex = async (): Promise<string> => {
    const { trx, transactionBuilder } = stranger.tronWeb
    const transfer = await transactionBuilder.sendTrx(tronMerchant.address, 1_000)
    const { raw_data_hex, signature } = await trx.sign(transfer)
    const [length, signed = ''] = [raw_data_hex.length / 2, signature[0]]
    const varint = length < 128 ? [length] : [(length & 127) | 128, length >> 7]
    return `0a${Buffer.from(varint).toString('hex')}${raw_data_hex}1241${signed}`
  }

  it('forks, and rejects requests, after a control request', async () => {
    const id = await stranger.pay({ token: USDT, to: tronMerchant.address, units: 1n })
    const { hash } = await control('mine', { blocks: 1 })
    await control('fork', { depth: 1, without: [id] })
    expect(await client().request({ method: 'eth_getBlockByHash', params: [hash as never, false] })).to.equal(
      null,
    )
    expect(await stranger.tronWeb.trx.getUnconfirmedTransactionInfo(id)).to.deep.equal({})
    expect(await control('habits', { refusedPercent: 100 })).to.include({ refusedPercent: 100, lagBlocks: 0 })
    expect(await client().request({ method: 'eth_blockNumber' })).to.equal(undefined)
    await control('habits', { refusedPercent: 0 })
  })

  it('mines blocks automatically at a given interval, with timestamps that are not in the future', async () => {
    const paced = await startTron({ name: 'paced', blockMs: 200, directory })
    const pacedClient = createPublicClient({ transport: http(paced.rpcUrl), cacheTime: 0 })
    const first = await pacedClient.getBlockNumber()
    await waitFor(async () => (await pacedClient.getBlockNumber()) > first + 10n, {
      what: 'ten blocks',
      timeoutMs: 60_000,
    })
    const { timestamp } = await pacedClient.getBlock()
    await paced.stop()
    expect(Number(timestamp)).to.be.at.most(Date.now() / 1000)
  })
})
