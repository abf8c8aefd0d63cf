import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { TronWeb, utils } from 'tronweb'
import { encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'

import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import { paymentSplitFactoryAbi } from '../../../shared/chain/abi/payment-split-factory.ts'
import { checkContracts } from '../../../shared/chain/contracts/check-contracts.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { Split } from '../../../shared/domain/allocation.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { tronDeployedAddress } from '../../../shared/domain/chain-families/tron/contract-address.ts'
import {
  getTronImplementation,
  predictTronSplit,
} from '../../../shared/domain/chain-families/tron/predict-split.ts'
import { encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  splitHash,
} from '../../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../../devnet/tron/addresses.ts'
import { chainAt } from '../../support/chain-at.ts'
import { addressOf, createTronFixture, mintUsdt, type TronFixture } from '../../support/tron-fixture.ts'

const [MERCHANT, TREASURY, PARTNER, KEEPER, DEPLOYER] = (
  ['merchant', 'treasury', 'payer2', 'keeper', 'deployer'] as const
).map((name) => addressOf(ACCOUNTS[name])) as [Address, Address, Address, Address, Address]

const USDT = TRON_USDT as Address

/** Half for the merchant, a tenth for the treasury, the rest for a partner, and a thousandth for the distributor. */
const SPLIT: Split = {
  recipients: [MERCHANT, TREASURY, PARTNER],
  allocations: [500_000, 100_000, 400_000],
  totalAllocation: 1_000_000,
  distributionIncentive: 1_000,
}
const TOKEN_ABI = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function mint(address, uint256)',
  'function refuse(address, bool)',
  'function burnFor(address)',
  'function setParams(uint256, uint256)',
  'function addBlackList(address)',
  'function removeBlackList(address)',
])

describe('our contracts on a local TRON chain', function () {
  this.timeout(240_000)

  let stage: TronFixture
  let factory: Address
  let charges = 0

  before(async () => {
    stage = await createTronFixture()
    factory = await deploy('TronPaymentSplitFactory')
  })

  after(() => stage.stop())

  const send = async (to: Address, data: Hex, feeLimit = 10_000_000_000) => {
    const wallet = stage.walletOf(ACCOUNTS.deployer)
    const { transaction } = await wallet.transactionBuilder.triggerSmartContract(
      ...([`41${to.slice(2)}`, '', { feeLimit, input: data.slice(2) }] as const),
      [],
    )
    await wallet.trx.sendRawTransaction(await wallet.trx.sign(transaction))
    await stage.chain.mine()
    const found = stage.chain.find(`0x${transaction.txID}`)
    if (found === undefined) throw new Error(`${transaction.txID} was not mined`)
    return found.transaction
  }
  const deploy = async (name: string) => {
    const path = new URL(`../../../contracts/artifacts/${name}.json`, import.meta.url)
    const { bytecode } = JSON.parse(readFileSync(path, 'utf8')) as { bytecode: Hex }
    const wallet = stage.walletOf(ACCOUNTS.deployer)
    const transaction = await wallet.transactionBuilder.createSmartContract(
      { abi: '[]', bytecode: bytecode.slice(2), feeLimit: 10_000_000_000, name },
      formatTronAddress(DEPLOYER),
    )
    await wallet.trx.sendRawTransaction(await wallet.trx.sign(transaction))
    await stage.chain.mine()
    return tronDeployedAddress({ txId: `0x${transaction.txID}`, owner: DEPLOYER })
  }
  const balanceOf = (account: Address, token: Address = USDT) =>
    stage.client.readContract({ address: token, abi: TOKEN_ABI, functionName: 'balanceOf', args: [account] })
  const token = (functionName: 'addBlackList' | 'removeBlackList', account: Address) =>
    send(USDT, encodeFunctionData({ abi: TOKEN_ABI, functionName, args: [account] }))
  const newPlace = () => {
    charges += 1
    const salt = chargeSalt(`ch_${charges}`)
    return { salt, split: SPLIT, address: predictTronSplit({ factory, split: SPLIT, salt }) }
  }
  const distribute = (
    { salt, split }: { salt: Hex; split: Split },
    options: { token?: Address; distributor?: Address; feeLimit?: number } = {},
  ) => {
    const { token: paid = USDT, distributor = zeroAddress as Address, feeLimit } = options
    return send(factory, encodeDistribution({ split, salt, token: paid, distributor }), feeLimit)
  }
  const heldFor = (split: Address, account: Address, paid: Address = USDT) =>
    stage.client.readContract({
      ...{ address: split, abi: paymentSplitAbi, functionName: 'held', args: [paid, account] },
    })

  it('are deployed at the 0x41 addresses that we, the factory and tronweb calculate, not at the addresses of Ethereum’s formula', async () => {
    const { address, salt } = newPlace()
    const terms = {
      ...SPLIT,
      recipients: [...SPLIT.recipients],
      allocations: SPLIT.allocations.map(BigInt),
      totalAllocation: 1_000_000n,
    }
    const predicted = await stage.client.readContract({
      ...{ address: factory, abi: paymentSplitFactoryAbi, functionName: 'predictDeterministicAddress' },
      args: [terms, zeroAddress, salt],
    })
    expect(predicted.toLowerCase()).to.equal(address)
    const implementation = getTronImplementation(factory)
    const initCode = `0x6100533d81600a3d39f336600557005b363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91603157fd5bf3${splitHash(SPLIT).slice(2)}`
    expect(utils.address.getCreate2Address({ from: formatTronAddress(factory), salt, initCode })).to.equal(
      formatTronAddress(address),
    )
    expect(predictSplitAddress({ factory, implementation, split: SPLIT, salt })).to.not.equal(address)
    await mintUsdt(stage, address, 1_000_000n)
    await distribute({ salt, split: SPLIT })
    expect(await stage.client.getCode({ address })).to.have.lengthOf(2 + 2 * 83)
    expect(await stage.client.getCode({ address: implementation })).to.match(/^0x60/)
  })

  it('are recognized by their code, which differs per factory, while other code and a wrong address are rejected', async () => {
    const chain = chainAt([`${stage.url}/jsonrpc`], { chainId: TRON_CHAIN_ID })
    const check = (splitFactory?: Address) => checkContracts(chain, { family: 'tron', splitFactory })
    expect(await check(factory)).to.equal('match')
    expect(await check(await deploy('TronPaymentSplitFactory'))).to.equal('match')
    expect(await check(await deploy('TestTronToken'))).to.equal('missing')
    expect(await check(SPLIT_FACTORY)).to.equal('missing')
    expect(await check()).to.equal('unconfigured')
  })

  it('pay out USDT, whose transfer returns false, unlike the EVM contracts, which would hold the shares or revert', async () => {
    const place = newPlace()
    await mintUsdt(stage, place.address, 100_000_000n)
    const before = await Promise.all([...SPLIT.recipients, KEEPER].map((account) => balanceOf(account)))
    const { result, energyUsed } = await distribute(place, { distributor: KEEPER })
    expect(result).to.equal('SUCCESS')
    const after = await Promise.all([...SPLIT.recipients, KEEPER].map((account) => balanceOf(account)))
    expect(after.map((amount, index) => amount - (before[index] ?? 0n))).to.deep.equal([
      ...[49_950_000n, 9_990_000n, 39_960_000n, 100_000n],
    ])
    expect(await balanceOf(place.address)).to.equal(0n)
    // Only the order of magnitude: the real cost is unknown before a test on Nile.
    expect(Number(energyUsed)).to.be.within(100_000, 500_000)
  })

  it('revert while the issuer blocks the split, and pay once the issuer unblocks it', async () => {
    const place = newPlace()
    await mintUsdt(stage, place.address, 100_000_000n)
    await token('addBlackList', place.address)
    expect((await distribute(place)).result).to.equal('REVERT')
    await token('removeBlackList', place.address)
    expect((await distribute(place)).result).to.equal('SUCCESS')
  })

  it('count a share as paid even if the token deducts a transfer fee', async () => {
    const place = newPlace()
    await mintUsdt(stage, place.address, 100_000_000n)
    const fee = (points: bigint, most: bigint) =>
      send(USDT, encodeFunctionData({ abi: TOKEN_ABI, functionName: 'setParams', args: [points, most] }))
    await fee(10n, 40n)
    const { result } = await distribute(place)
    await fee(0n, 0n)
    expect(result).to.equal('SUCCESS')
    expect(await heldFor(place.address, MERCHANT)).to.equal(0n)
  })

  it('hold the share of a recipient that cannot be paid, pay the other recipients, and release the share later', async () => {
    const refusing = await deploy('TestTronToken')
    const refuse = (isRefused: boolean) =>
      send(
        refusing,
        encodeFunctionData({ abi: TOKEN_ABI, functionName: 'refuse', args: [TREASURY, isRefused] }),
      )
    const place = newPlace()
    await send(
      refusing,
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [place.address, 1_000n] }),
    )
    await refuse(true)
    expect((await distribute(place, { token: refusing })).result).to.equal('SUCCESS')
    expect(await heldFor(place.address, TREASURY, refusing)).to.equal(100n)
    expect(await balanceOf(MERCHANT, refusing)).to.equal(500n)
    const release = encodeFunctionData({
      abi: paymentSplitAbi,
      functionName: 'release',
      args: [refusing, TREASURY],
    })
    expect((await send(place.address, release)).result).to.equal('REVERT')
    await refuse(false)
    expect((await send(place.address, release)).result).to.equal('SUCCESS')
    expect(await balanceOf(TREASURY, refusing)).to.equal(100n)
  })

  it('limit the energy of each transfer, because TRON has no 63/64 rule and one transfer could burn all energy', async () => {
    const burning = await deploy('TestTronToken')
    const place = newPlace()
    await send(
      burning,
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [place.address, 1_000n] }),
    )
    await send(burning, encodeFunctionData({ abi: TOKEN_ABI, functionName: 'burnFor', args: [TREASURY] }))
    const { result, energyUsed } = await distribute(place, { token: burning })
    expect(result).to.equal('SUCCESS')
    expect(Number(energyUsed)).to.be.within(1_000_000, 2_000_000)
    expect(await heldFor(place.address, TREASURY, burning)).to.equal(100n)
    expect(await balanceOf(PARTNER, burning)).to.equal(400n)
  })

  it('revert if the energy does not suffice, so that no share is held for lack of energy', async () => {
    const place = newPlace()
    await mintUsdt(stage, place.address, 100_000_000n)
    for (const feeLimit of [15_000_000, 20_000_000, 25_000_000, 30_000_000]) {
      const { result } = await distribute(place, { feeLimit })
      const held = result === 'SUCCESS' ? await heldFor(place.address, MERCHANT) : 0n
      expect(held, `${feeLimit}: ${result}`).to.equal(0n)
    }
    await distribute(place)
    expect(await balanceOf(place.address)).to.equal(0n)
  })

  it('pay out TRX that was sent by mistake before the split was deployed', async () => {
    const place = newPlace()
    const wallet = stage.walletOf(ACCOUNTS.payer)
    const sent = await wallet.transactionBuilder.sendTrx(
      formatTronAddress(place.address),
      100_000_000,
      TronWeb.address.fromHex(`41${ACCOUNTS.payer.address.slice(2)}`),
    )
    await wallet.trx.sendRawTransaction(await wallet.trx.sign(sent))
    await stage.chain.mine()
    const before = await stage.client.getBalance({ address: PARTNER })
    const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' as Address
    expect((await distribute(place, { token: native })).result).to.equal('SUCCESS')
    expect(await stage.client.getBalance({ address: PARTNER })).to.equal(before + 40_000_000n)
  })
})
