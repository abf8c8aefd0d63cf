import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

import { checksum } from '../../../shared/domain/address.ts'
import { distribute } from '../../../shared/domain/allocation.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { chargeSalt, SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { compiled } from '../../devnet/compiled.ts'
import {
  addressOf,
  type PaidCharge,
  type Stage,
  setStage,
  startChain,
  type TestChain,
} from '../../support/payout-fixture.ts'

/** Network name of the fixture's chain for the command. The charge does not accept this network. */
const NETWORK = 'polygon'
const RESCUER = addressOf(ACCOUNTS.deployer.address)

/**
 * Code of a token: every view returns 200. A transfer counts down from 50,000, which takes 1.3 million gas, and returns
 * true.
 */
const GAS_BURNING_TOKEN = '0x36604414600f5760c85f5260205ff35b6200c3505b600190038060145760015f5260205ff3'

/**
 * Code of a token: every view returns 200. A transfer returns true, but reverts in a transaction that pays for gas, so
 * that only the simulation succeeds.
 */
const REVERTING_WHEN_MINED = '0x36604414600f5760c85f5260205ff35b3a601c5760015f5260205ff35b5f5ffd'

/** Code of a contract that reverts every call. */
const REVERTING = '0x5f5ffd'

/** Code of a token: `decimals` reverts, every other view returns 200, and a transfer returns true. */
const WITHOUT_DECIMALS = '0x36600414601f573660441460165760c85f5260205ff35b60015f5260205ff35b5f5ffd'

describe('npm run rescue', () => {
  let directory: string
  let chain: TestChain
  let stage: Stage
  let rescuersTransactions: number

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rescue-'))
    chain = await startChain({ hasFactory: false })
    stage = await setStage(chain)
    rescuersTransactions = await chain.node.getTransactionCount({ address: RESCUER })
  })

  afterEach(async () => {
    await stage.close()
    await chain.stop()
    await rm(directory, { recursive: true })
  })

  it('deploys the factory and the split and pays out, on a network without our contracts', async () => {
    const charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 7_000_001n])
    const { exitCode, output } = await rescue(charge)
    expect(output).to.match(/deployed the factory in transaction 0x[0-9a-f]{64}/)
    expect(output).to.match(/distributed 7.000001 of 0x[0-9a-fA-F]{40} in transaction 0x[0-9a-f]{64}/)
    expect(exitCode).to.equal(0)

    const expected = distribute({ amount: atomic(7_000_001n), split: charge.split })
    const balances = await Promise.all(charge.split.recipients.map((account) => stage.balanceOf(account)))
    expect(balances).to.deep.equal(expected.payouts)
    expect(await stage.balanceOf(RESCUER)).to.equal(expected.incentive)
  })

  it('pays out nothing on a second run', async () => {
    const charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 7_000_001n])
    await rescue(charge)
    const { exitCode, output } = await rescue(charge)
    expect(output).to.include('there is nothing to pay out')
    expect(exitCode).to.equal(0)
  })

  it('pays out a named token that is not configured', async () => {
    const charge = await stage.openCharge()
    const stranger = await chain.deployToken()
    await stage.callToken('mint', [charge.splitAddress, 5n], stranger)
    expect((await rescue(charge)).output).to.include('there is nothing to pay out')
    const { output } = await rescue(charge, ['--token-address', stranger])
    expect(output).to.include('distributed 0.000005 of')
    expect(await stage.balanceOf(charge.splitAddress, stranger)).to.equal(0n)
  })

  it('pays out native coins of a charge, whether its split is deployed or not', async () => {
    const charge = await stage.openCharge()
    const sent = { address: charge.splitAddress, value: 3_000n * 10n ** 18n }
    await chain.node.setBalance(sent)
    const before = await chain.node.getBalance({ address: RESCUER })
    const { exitCode, output } = await rescue(charge)
    expect(output).to.match(/distributed 3000 of the native coin in transaction 0x[0-9a-f]{64}/)
    expect(exitCode).to.equal(0)
    const { payouts, incentive } = distribute({ amount: atomic(sent.value), split: charge.split })
    expect(await coinsOf(charge)).to.deep.equal(payouts)
    expect(await chain.node.getBalance({ address: charge.splitAddress })).to.equal(0n)
    const gas = before + incentive - (await chain.node.getBalance({ address: RESCUER }))
    expect(gas > 0n && gas < incentive, 'the rescuer receives the incentive').to.equal(true)

    await chain.node.setBalance(sent)
    await stage.callToken('mint', [charge.splitAddress, 5n])
    expect((await rescue(charge, ['--token-address', NATIVE_COIN])).output).to.include('distributed 3000 of')
    expect(
      await stage.balanceOf(charge.splitAddress),
      'a token that was not named remains in the split',
    ).to.equal(5n)
  })

  it('accepts the charge’s JSON from the API or a webhook instead of a database', async () => {
    for (const wrap of [(json: object) => json, (json: object) => ({ id: 'evt_1', data: json })]) {
      const charge = await stage.openCharge()
      await stage.callToken('mint', [charge.splitAddress, 7_000_001n])
      const { exitCode, output } = await rescueByFile(wrap(jsonOf(charge)))
      expect(output).to.include('distributed 7.000001 of')
      expect(exitCode).to.equal(0)
    }
  })

  it('reads the JSON from standard input', async () => {
    const charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 7_000_001n])
    const { output } = await rescueByFile(jsonOf(charge), '-')
    expect(output).to.include('distributed 7.000001 of')
  })

  it('signs nothing for terms that do not match the charge’s address', async () => {
    const charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 5n])
    const json = jsonOf(charge)
    const { addressTerms } = json
    const [first, ...others] = addressTerms.recipients
    const robbed = { ...addressTerms, recipients: [{ ...first, address: RESCUER }, ...others] }
    const forged: readonly (readonly [object, string])[] = [
      [{ ...json, addressTerms: robbed }, 'no transaction was signed'],
      [{ ...json, address: RESCUER }, `address is ${checksum(RESCUER)}, but must be`],
      [{ ...json, addressTerms: { ...addressTerms, salt: `0x${'11'.repeat(32)}` } }, 'addressTerms.salt is'],
      [{ ...json, addressTerms: { ...addressTerms, factory: RESCUER } }, 'is supported'],
      [{ ...json, addressTerms: { ...addressTerms, totalAllocation: 2 } }, 'the terms cannot be deployed'],
      [{ id: json.id }, 'is not a charge'],
    ]
    for (const [text, reason] of forged) {
      const { exitCode, output } = await rescueByFile(text)
      expect(output).to.include(reason)
      expect(exitCode).to.equal(1)
    }
    expect(await chain.node.getTransactionCount({ address: RESCUER })).to.equal(rescuersTransactions)
  })

  it('signs nothing for terms in the database that do not match the charge’s split', async () => {
    const charge = await stage.openCharge()
    await stage.sql`
      update charges set split_terms = jsonb_set(split_terms::jsonb, '{recipients,0}', to_jsonb(${RESCUER}::text))
      where id = ${charge.chargeId}`
    const { exitCode, output } = await rescue(charge)
    expect(output).to.include('no transaction was signed')
    expect(exitCode).to.equal(1)
  })

  it('pays out one token even if the payout of another token fails', async () => {
    const charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 5n], chain.usdt)
    await stage.callToken('mint', [charge.splitAddress, 5n])
    await stage.callToken('pause')
    const { exitCode, output } = await rescue(charge)
    expect(output).to.include('could not distribute')
    expect(exitCode).to.equal(1)
    expect(await stage.balanceOf(charge.splitAddress, chain.usdt)).to.equal(0n)
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(5n)
  })

  it('pays out one token even if the transaction of another token reverts', async () => {
    const charge = await stage.openCharge()
    const reverting = addressOf(`0x${'9b'.repeat(20)}`)
    await chain.node.setCode({ address: reverting, bytecode: REVERTING_WHEN_MINED })
    await stage.callToken('mint', [charge.splitAddress, 5n])
    const tokens = [reverting, chain.token].flatMap((token) => ['--token-address', token])
    const { exitCode, output } = await rescue(charge, tokens)
    expect(output).to.include('reverted in transaction')
    expect(exitCode).to.equal(1)
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  it('pays out one token even if the balance of another token cannot be read', async () => {
    const charge = await stage.openCharge()
    const unreadable = addressOf(`0x${'9c'.repeat(20)}`)
    await chain.node.setCode({ address: unreadable, bytecode: REVERTING })
    await stage.callToken('mint', [charge.splitAddress, 5n])
    const tokens = [unreadable, chain.token].flatMap((token) => ['--token-address', token])
    const { exitCode, output } = await rescue(charge, tokens)
    expect(output).to.include(`could not read the balance of ${checksum(unreadable)}: `)
    expect(output).to.include('distributed 0.000005 of')
    expect(exitCode).to.equal(1)
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)

    const again = await rescue(charge, tokens)
    expect(again.output).to.include(`could not read the balance of ${checksum(unreadable)}: `)
    expect(again.output).to.include(`has no balance of ${checksum(chain.token)}: there is nothing to pay out`)
    expect(again.exitCode).to.equal(1)
  })

  it('reports the transaction of a token whose decimals cannot be read, and pays out the other token', async () => {
    const charge = await stage.openCharge()
    const nameless = addressOf(`0x${'9d'.repeat(20)}`)
    await chain.node.setCode({ address: nameless, bytecode: WITHOUT_DECIMALS })
    await stage.callToken('mint', [charge.splitAddress, 5n])
    const tokens = [nameless, chain.token].flatMap((token) => ['--token-address', token])
    const { exitCode, output } = await rescue(charge, tokens)
    expect(output).to.match(
      /distributed 200 atomic units of 0x9[dD]\w{38} in transaction 0x[0-9a-f]{64}, but could not read its decimals/,
    )
    expect(output).to.include('distributed 0.000005 of')
    expect(exitCode).to.equal(1)
  })

  it('distributes no token whose transfers need more gas than the limit, unless the operator raises the limit', async () => {
    const charge = await stage.openCharge()
    const token = ['--token-address', addressOf(`0x${'9a'.repeat(20)}`)]
    await chain.node.setCode({ address: addressOf(`0x${'9a'.repeat(20)}`), bytecode: GAS_BURNING_TOKEN })
    const refused = await rescue(charge, token)
    expect(refused.output).to.match(
      /it requires [0-9]{7} gas, above the limit of 1900000: raise the limit with --max-gas/,
    )
    expect(refused.exitCode).to.equal(1)
    expect((await rescue(charge, [...token, '--max-gas', '2000000'])).output).to.include('limit of 2000000')
    expect((await rescue(charge, [...token, '--max-gas', '16000001'])).output).to.include('1 to 16000000')
    const { exitCode, output } = await rescue(charge, [...token, '--max-gas', '6000000'])
    expect(output).to.include('distributed')
    expect(exitCode).to.equal(0)
  })

  it('tells the operator that only the releaser can move the balance of an escrow', async () => {
    const charge = await stage.openCharge()
    const safe = '0x00000000000000000000000000000000000e5c20'
    await stage.sql`update charges set address = ${safe}, escrow_releaser = ${RESCUER} where id = ${charge.chargeId}`
    await stage.callToken('mint', [safe, 5n])
    const { exitCode, output } = await rescue(charge)
    expect(output).to.include(`only its releaser ${RESCUER} can move it`)
    expect(exitCode).to.equal(1)
  })

  it('names an unknown charge and an unconfigured network', async () => {
    const charge = await stage.openCharge()
    expect((await rescue({ ...charge, chargeId: 'ch_nobody' })).output).to.include(
      'there is no charge ch_nobody',
    )
    expect((await rescue(charge, ['--network', 'bnb'])).output).to.include('bnb:live is not configured')
  })

  const coinsOf = ({ split }: PaidCharge) =>
    Promise.all(split.recipients.map((address) => chain.node.getBalance({ address })))

  function rescue(charge: PaidCharge, args: readonly string[] = []) {
    return command(['--charge', charge.chargeId, ...args], stage.database.url.operator)
  }

  /** Runs the command as after the loss of the database. */
  async function rescueByFile(charge: object, file = join(directory, 'charge.json')) {
    if (file !== '-') await writeFile(file, JSON.stringify(charge))
    return command(['--charge-file', file], 'postgres://127.0.0.1:9/lost', JSON.stringify(charge))
  }

  async function command(args: readonly string[], databaseUrl: string, input = '') {
    const networks = join(directory, 'networks.json')
    const live = {
      ...{ chainId: 31337, rpcUrls: [chain.rpcUrl], quorum: 1, confirmations: 3 },
      tokens: { USDC: { address: chain.token, decimals: 6 }, USDT: { address: chain.usdt, decimals: 6 } },
    }
    await writeFile(networks, JSON.stringify({ [NETWORK]: { live } }))
    const env = {
      ...{ NETWORKS_CONFIG: networks, DEPLOYMENTS: `${NETWORK}:live` },
      OPERATOR_DATABASE_URL: databaseUrl,
      TREASURY_ADDRESS: ACCOUNTS.treasury.address,
      DEPLOYER_PRIVATE_KEY: ACCOUNTS.deployer.privateKey,
    }
    return run(['--network', NETWORK, ...args], { env, input })
  }
}).timeout(240_000)

/** Returns the fields of the charge that determine its address, as the API does. */
function jsonOf({ chargeId, split, splitAddress }: PaidCharge) {
  const addressTerms = {
    ...{ factory: SPLIT_FACTORY, salt: chargeSalt(chargeId), splitAddress, safe: null },
    recipients: split.recipients.map((address, index) => ({ address, allocation: split.allocations[index] })),
    totalAllocation: split.totalAllocation,
    distributionIncentive: split.distributionIncentive,
  }
  return { id: chargeId, environment: 'live', address: splitAddress, addressTerms }
}

async function run(
  args: readonly string[],
  { env, input }: { env: Record<string, string>; input: string },
): Promise<{ exitCode: number; output: string }> {
  const command = [await compiled('indexer/commands/rescue.ts'), ...args]
  const options = { cwd: resolve(import.meta.dirname, '../../..'), env }
  return new Promise((done) => {
    const child = execFile(process.execPath, command, options, (error, stdout, stderr) => {
      done({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
    child.stdin?.end(input)
  })
}
