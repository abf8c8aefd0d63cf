import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  createWalletClient,
  decodeEventLog,
  encodeFunctionData,
  http,
  multicall3Abi,
  parseAbi,
  publicActions,
} from 'viem'
import { foundry } from 'viem/chains'
import tokenArtifact from '../../../contracts/artifacts/TestToken.json' with { type: 'json' }
import { createChainClient } from '../../../shared/chain/client.ts'
import { deployFactory } from '../../../shared/chain/deploy-factory.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { distribute, type Split } from '../../../shared/domain/allocation.ts'
import { parseDecimal, truncateTo } from '../../../shared/domain/decimal.ts'
import { encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { parsePercent } from '../../../shared/domain/percent.ts'
import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS, signerOf } from '../../devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../devnet/anvil.ts'
import { deployMulticall3 } from '../../devnet/deploy.ts'
import { requireMined } from '../../devnet/require-mined.ts'
import { address, MERCHANT, startTestApi, type TestApi, TREASURY } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { brokenLaws, type Paid, type ShownFigures, wrongFigures } from '../../support/payment-laws.ts'
import { createRandom, type Random } from '../../support/seeded-random.ts'

/** Any other number is another run; a failure's title names its own. */
const SEED = 20_261_121
const PAYMENTS = process.env['TEST_LONG'] ? 2000 : 200 // oxlint-disable-line no-process-env -- how long is a setting of the run

/** Of the keeper: none, the default, and the most that the contract takes. */
const INCENTIVES = ['0', '0.1', '5'] as const
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'
/** Below the gas that one transaction may use (EIP-7825). */
const PAYMENTS_PER_TRANSACTION = 20
const KEEPER = ACCOUNTS.keeper.address.toLowerCase() as Address
const RECIPIENTS = [1, 2, 3, 4].map((digit) => address(`0x${String(digit).repeat(40)}`))
const TRANSFER = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])

/** A charge as the API answered it, and the token it is paid in. */
type Created = {
  readonly charge: ShownFigures & {
    readonly amountExact: string
    readonly feePercent: number
    readonly addressTerms: {
      readonly salt: `0x${string}`
      readonly recipients: readonly { readonly address: string; readonly allocation: number }[]
      readonly totalAllocation: number
      readonly distributionIncentive: number
      readonly splitAddress: string
    }
  }
  readonly feeText: string
  readonly incentiveText: string
  readonly splits: readonly { readonly recipient: number; readonly percentText: string }[]
  readonly decimals: 6 | 18
}

describe(`${PAYMENTS} payments of random terms on a chain, seed ${SEED}`, function () {
  this.timeout(PAYMENTS * 500)

  const random = createRandom(SEED)
  let directory: string
  let anvil: Anvil
  let apis: { readonly api: TestApi; readonly key: string; readonly incentiveText: string }[]
  let wallet: ReturnType<typeof connectWallet>
  const tokens = new Map<number, Address>()
  let payments: { readonly created: Created; readonly paid: Paid }[]

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'payment-laws-'))
    anvil = await startAnvil({ name: 'laws', chainId: foundry.id, directory })
    wallet = connectWallet(anvil)
    const client = createChainClient({ chainId: foundry.id, rpcUrls: [anvil.rpcUrl] })
    await deployFactory(client, signerOf(ACCOUNTS.deployer))
    await deployMulticall3(anvil)
    for (const decimals of [6, 18] as const) tokens.set(decimals, await deployToken(decimals))
    apis = await Promise.all(INCENTIVES.map(startApi))
    const created: Created[] = []
    while (created.length < PAYMENTS) created.push(await createCharge())
    payments = []
    for (let from = 0; from < PAYMENTS; from += PAYMENTS_PER_TRANSACTION)
      payments.push(...(await pay(created.slice(from, from + PAYMENTS_PER_TRANSACTION))))
  })

  after(async () => {
    await Promise.all(apis.map(({ api }) => api.stop()))
    await anvil.stop()
    await rm(directory, { recursive: true, force: true })
  })

  it('each paid what the pure distribution says, to the atomic unit', () => {
    for (const { created, paid } of payments) {
      const split = splitOf(created)
      const { incentive, payouts } = distribute({ amount: atomic(paid.amount), split })
      const expected = sumByAddress([
        [KEEPER, incentive],
        ...split.recipients.map((recipient, index) => [recipient, payouts[index] ?? 0n] as const),
      ])
      expect(paid.paidTo, JSON.stringify(created.charge)).to.deep.equal(expected)
    }
  })

  it('each kept the laws of decisions 1.7', () => {
    for (const { created, paid } of payments) {
      const { allocations } = splitOf(created)
      expect(allocations.reduce((sum, allocation) => sum + allocation, 0)).to.equal(1_000_000)
      expect(brokenLaws(paid), JSON.stringify(created)).to.deep.equal([])
    }
  })

  it('each paid what the API shows, within one millionth of the amount', () => {
    for (const { created, paid } of payments) {
      const wrong = wrongFigures(paid, created.charge, created.decimals)
      expect(wrong, JSON.stringify(created)).to.deep.equal([])
    }
  })

  async function deployToken(decimals: number): Promise<Address> {
    const { abi, bytecode } = tokenArtifact as unknown as { abi: []; bytecode: `0x${string}` }
    const hash = await wallet.deployContract({ abi, bytecode, args: ['Token', 'TKN', decimals] as never })
    const { contractAddress } = await requireMined(wallet, hash)
    return address(contractAddress?.toLowerCase() ?? '')
  }

  async function startApi(incentiveText: string) {
    const api = await startTestApi({ DISTRIBUTOR_FEE_PERCENT: incentiveText })
    const { key } = await api.issueKey({ scopes: ['charges:write', 'charges:split_write'] })
    for (const [index, recipient] of RECIPIENTS.entries()) {
      await api.owner`
        insert into recipients (id, organization_id, environment, address, family)
        values (${recipientId(index)}, 'org_one', 'live', ${recipient}, 'evm')`
    }
    return { api, key, incentiveText }
  }

  /** Creates a charge of random terms over HTTP; of terms that are refused for rounding, another one. */
  async function createCharge(): Promise<Created> {
    const { api, key, incentiveText } = random.pick(apis)
    const feeText = randomFee(random)
    const splits = randomSplits(random, feeText)
    const decimals = random.pick([6, 18] as const)
    const pair = decimals === 6 ? { token: 'USDC', network: 'base' } : { token: 'USDT', network: 'bnb' }
    await api.owner`update organizations set fee_percent = ${feeText}::numeric`
    const entries = splits.map(
      ({ recipient, percentText }) => `{"recipientId":"${recipientId(recipient)}","percent":${percentText}}`,
    )
    const text = `{"amount":${randomAmount(random)},"feePayer":"${random.pick(['merchant', 'payer'])}",
      "acceptedPayments":[${JSON.stringify(pair)}],"expiresIn":3600,"splitRecipients":[${entries.join(',')}]}`
    const answer = await call(api, 'POST /v1/charges', { key, text })
    if (answer.status === 201) return { charge: answer.body, feeText, incentiveText, splits, decimals }
    expect(answer.body.error.code, text).to.equal('split_recipients_exceed_available_percent')
    return createCharge()
  }

  /** Pays the charges and distributes each, all in one transaction; answers what the splits paid, by their logs. */
  async function pay(created: readonly Created[]) {
    const calls = created.flatMap((each) => {
      const token = tokens.get(each.decimals) as Address
      const { salt, splitAddress } = each.charge.addressTerms
      const mint = encodeFunctionData({
        abi: parseAbi(['function mint(address to, uint256 amount)']),
        args: [splitAddress as Address, amountOf(each)],
      })
      const distribution = encodeDistribution({ split: splitOf(each), salt, token, distributor: KEEPER })
      return [
        { target: token, allowFailure: false, callData: mint },
        { target: SPLIT_FACTORY, allowFailure: false, callData: distribution },
      ]
    })
    const hash = await wallet.writeContract({
      address: MULTICALL,
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [calls],
    })
    const { logs } = await requireMined(wallet, hash)
    const transfers = logs
      .filter((log) => [...tokens.values()].some((token) => token === log.address.toLowerCase()))
      .map((log) => decodeEventLog({ abi: TRANSFER, topics: log.topics, data: log.data }).args)
    return created.map((each) => {
      const splitAddress = each.charge.addressTerms.splitAddress
      const paidTo = sumByAddress(
        transfers
          .filter(({ from }) => from === splitAddress)
          .map(({ to, value }) => [to.toLowerCase() as Address, value] as const),
      )
      return { created: each, paid: paidOf(each, paidTo) }
    })
  }
})

function connectWallet({ rpcUrl }: Anvil) {
  return createWalletClient({
    account: signerOf(ACCOUNTS.deployer),
    chain: foundry,
    transport: http(rpcUrl),
  }).extend(publicActions)
}

function paidOf(created: Created, paidTo: ReadonlyMap<Address, bigint>): Paid {
  const feePercent = percentOf(created.feeText)
  const keeperPercent = percentOf(created.incentiveText)
  return {
    amount: amountOf(created),
    feePercent,
    incentivePercent: keeperPercent < feePercent ? keeperPercent : feePercent,
    recipients: RECIPIENTS.map((recipient, index) => ({
      address: recipient,
      percents: created.splits
        .filter((split) => split.recipient === index)
        .map(({ percentText }) => percentOf(percentText)),
    })).filter(({ percents }) => percents.length > 0),
    merchant: MERCHANT,
    treasury: TREASURY,
    keeper: KEEPER,
    paidTo,
  }
}

/** The terms as the answer gives them, from which anyone could distribute. */
function splitOf({ charge: { addressTerms } }: Created): Split {
  return {
    recipients: addressTerms.recipients.map((recipient) => address(recipient.address)),
    allocations: addressTerms.recipients.map(({ allocation }) => allocation),
    totalAllocation: addressTerms.totalAllocation,
    distributionIncentive: addressTerms.distributionIncentive,
  }
}

function amountOf({ charge, decimals }: Created): bigint {
  const amount = parseDecimal(charge.amountExact)
  if (amount === null) throw new Error(`${charge.amountExact} is no amount`)
  return truncateTo(amount, decimals)
}

/** Nothing is no entry: the contract transfers no zeros. */
function sumByAddress(payments: readonly (readonly [Address, bigint])[]): ReadonlyMap<Address, bigint> {
  const sums = new Map<Address, bigint>()
  for (const [to, value] of payments) if (value > 0n) sums.set(to, (sums.get(to) ?? 0n) + value)
  return sums
}

/** From a millionth to the largest amount, each order of magnitude as often. */
function randomAmount(random: Random): string {
  const micros = BigInt(Math.floor(10 ** (random.fraction() * 17.999))) + 1n
  const text = String(micros).padStart(7, '0')
  return `${text.slice(0, -6)}.${text.slice(-6)}`
}

/** Mostly usual fees; some below the incentive, and some of any size. */
function randomFee(random: Random): string {
  const limit = random.pick([100, 50_000, 50_000, 1_000_000])
  return (random.integer(limit) / 10_000).toFixed(4)
}

/** Up to five, the same recipient twice too; from dust to all that the fee leaves. */
function randomSplits(random: Random, feeText: string): Created['splits'] {
  const count = random.integer(6)
  let left = 100 - Number(feeText)
  return Array.from({ length: count }, () => {
    const percent = random.pick([1e-9, 1e-4, 0.3, 0.9]) * random.fraction() * left
    left -= percent
    return { recipient: random.integer(RECIPIENTS.length), percentText: percent.toFixed(12) }
  }).filter(({ percentText }) => Number(percentText) > 0)
}

function recipientId(index: number): string {
  return `rc_${String(index).repeat(26)}`
}

function percentOf(text: string) {
  const percent = parsePercent(text, { maxFractionDigits: 12 })
  if (percent === null) throw new Error(`${text} is no percent`)
  return percent
}
