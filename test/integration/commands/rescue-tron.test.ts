import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { erc20Abi } from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import { allocate, distribute, type Split } from '../../../shared/domain/allocation.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { predictTronSplit } from '../../../shared/domain/chain-families/tron/predict-split.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { type Percent, parsePercent } from '../../../shared/domain/percent.ts'
import { chargeSalt } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { compiled } from '../../devnet/compiled.ts'
import { TRON_USDT } from '../../devnet/tron/addresses.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { addressOf, mintUsdt } from '../../support/tron-fixture.ts'
import { startTronChain, type TronChainFixture } from '../../support/tron-payout-fixture.ts'

const USDT = TRON_USDT as Address
const RESCUER = addressOf(ACCOUNTS.deployer)

/** Simulates the loss of the database: only the merchant's copy of the charge exists. */
describe('npm run rescue on TRON', function () {
  this.timeout(300_000)

  let directory: string
  let tron: TronChainFixture
  let ticking: ReturnType<typeof setInterval>

  before(async () => {
    directory = await temporaryDirectory('rescue-tron')
    tron = await startTronChain()
    for (let blocks = 0; blocks < 20; blocks += 1) await tron.chain.mine()
    ticking = setInterval(() => void tron.chain.mine(), 200)
  })
  after(async () => {
    clearInterval(ticking)
    await tron.stop()
  })

  it('deploys the split and pays out once, with the factory of the charge even if another factory is configured', async () => {
    const charge = chargeOf(tron.factory)
    await mintUsdt(tron, charge.splitAddress, 7_000_001n)
    const before = await balanceOf(RESCUER)
    const { exitCode, output } = await rescue(jsonOf(charge), { splitFactory: formatTronAddress(USDT) })
    expect(output).to.match(/distributed 7.000001 of TR7N\w{30} in transaction [0-9a-f]{64}\n/)
    expect(exitCode).to.equal(0)
    const expected = distribute({ amount: atomic(7_000_001n), split: charge.split })
    expect(await Promise.all(charge.split.recipients.map(balanceOf))).to.deep.equal(expected.payouts)
    expect((await balanceOf(RESCUER)) - before).to.equal(expected.incentive)

    const again = await rescue(jsonOf(charge))
    expect(again).to.deep.include({ exitCode: 0 })
    expect(again.output).to.include(`${formatTronAddress(charge.splitAddress)} has no balance of`)
  })

  it('pays out TRX that was sent to the charge', async () => {
    const charge = chargeOf(tron.factory)
    const wallet = tron.walletOf(ACCOUNTS.payer)
    await wallet.trx.sendTransaction(formatTronAddress(charge.splitAddress), 3_000_000)
    await tron.chain.mine()
    const { exitCode, output } = await rescue(jsonOf(charge))
    expect(output).to.match(/distributed 3 of the native coin in transaction [0-9a-f]{64}\n/)
    expect(exitCode).to.equal(0)
  })

  it('signs nothing for a factory with unknown code or for terms that do not match the address', async () => {
    const head = tron.chain.blocks().length
    const elsewhere = chargeOf(USDT)
    await mintUsdt(tron, elsewhere.splitAddress, 5n)
    const charge = chargeOf(tron.factory)
    const json = jsonOf(charge)
    const { addressTerms } = json
    const [first, ...others] = addressTerms.recipients
    const robbed = {
      ...addressTerms,
      recipients: [{ ...first, address: formatTronAddress(RESCUER) }, ...others],
    }
    const refused: readonly (readonly [object, string])[] = [
      [jsonOf(elsewhere), 'the contracts on tron cannot be used'],
      [{ ...json, addressTerms: robbed }, 'no transaction was signed'],
      [{ ...json, address: formatTronAddress(RESCUER) }, 'but must be'],
      [{ ...json, addressTerms: { ...addressTerms, safe: {} } }, 'addressTerms.safe is set'],
      [{ ...json, addressTerms: { ...addressTerms, factory: USDT } }, 'must be a TRON address'],
    ]
    for (const [text, reason] of refused) {
      const { exitCode, output } = await rescue(text)
      expect(output).to.include(reason)
      expect(exitCode).to.equal(1)
    }
    const sent = tron.chain
      .blocks()
      .slice(head)
      .flatMap(({ transactions }) => transactions)
    expect(sent.filter(({ contract }) => contract.type === 'TriggerSmartContract')).to.have.lengthOf(1) // The mint.
  })

  it('rejects a TRON charge on a network of another chain family, where the charge has no address', async () => {
    const json = jsonOf(chargeOf(tron.factory))
    const { exitCode, output } = await rescue(json, {}, 'base')
    expect(output).to.include('has no address on base: name a network of the family tron')
    expect(exitCode).to.equal(1)
  })

  function balanceOf(account: Address): Promise<bigint> {
    return tron.client.readContract({
      ...{ address: USDT, abi: erc20Abi, functionName: 'balanceOf', args: [account] },
    })
  }

  async function rescue(charge: object, live: object = {}, network = 'tron') {
    const [file, networks] = ['charge.json', 'networks.json'].map((name) => join(directory, name)) as [
      string,
      string,
    ]
    await writeFile(file, JSON.stringify(charge))
    const rpcUrls = [`${tron.url}/jsonrpc`]
    const named = { rpcUrls, quorum: 1, splitFactory: formatTronAddress(tron.factory), ...live }
    await writeFile(networks, JSON.stringify({ tron: { live: named } }))
    const args = [await compiled('indexer/commands/rescue.ts'), '--network', network, '--charge-file', file]
    const env = { NETWORKS_CONFIG: networks, DEPLOYER_PRIVATE_KEY: ACCOUNTS.deployer.privateKey }
    const options = { cwd: resolve(import.meta.dirname, '../../..'), env }
    return new Promise<{ exitCode: number; output: string }>((done) => {
      execFile(process.execPath, args, options, (error, stdout, stderr) => {
        done({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr })
      })
    })
  }
})

type Made = {
  readonly id: string
  readonly factory: Address
  readonly split: Split
  readonly splitAddress: Address
}

function chargeOf(factory: Address): Made {
  const id = newId('ch', Date.now())
  const fresh = (seed: string) => `0x${chargeSalt(`${seed} of ${id}`).slice(-40)}` as Address
  const allocation = allocate({
    ...{ feePercent: percentOf('1'), distributorFeePercent: percentOf('0.1'), splitRecipients: [] },
    ...{ merchant: fresh('merchant'), treasury: fresh('treasury') },
  })
  if (!allocation.ok) throw new Error(allocation.code)
  const { split } = allocation
  return { id, factory, split, splitAddress: predictTronSplit({ factory, split, salt: chargeSalt(id) }) }
}

/** Returns the fields of the charge that determine its address, as the API does. */
function jsonOf({ id, factory, split, splitAddress }: Made) {
  const address = formatTronAddress(splitAddress)
  const addressTerms = {
    ...{ factory: formatTronAddress(factory), salt: chargeSalt(id), splitAddress: address, safe: null },
    recipients: split.recipients.map((recipient, index) => ({
      address: formatTronAddress(recipient),
      allocation: split.allocations[index],
    })),
    totalAllocation: split.totalAllocation,
    distributionIncentive: split.distributionIncentive,
  }
  return { id, environment: 'live', address, addressTerms }
}

function percentOf(written: string): Percent {
  const percent = parsePercent(written, { maxFractionDigits: 4 })
  if (percent === null) throw new Error(`${written} is not a percentage`)
  return percent
}
