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
import { deployFactory } from '../../../shared/chain/contracts/deploy-factory.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { distribute } from '../../../shared/domain/allocation.ts'
import { encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS, toSigner } from '../../devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../devnet/anvil.ts'
import { deployMulticall3 } from '../../devnet/deploy.ts'
import { requireMined } from '../../devnet/require-mined.ts'
import { address, startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { findBrokenInvariants, type Paid, wrongFigures } from '../../support/payment-invariants.ts'
import {
  amountOf,
  type Created,
  computePaid,
  INCENTIVES,
  KEEPER,
  RECIPIENTS,
  randomAmount,
  randomFee,
  randomSplits,
  recipientId,
  splitOf,
  sumByAddress,
} from '../../support/random-terms.ts'
import { createRandom } from '../../support/seeded-random.ts'

/** Seed of the run. The title contains it, so that a failure can be repeated. */
const SEED = 20_261_121
const PAYMENTS = process.env['TEST_LONG'] ? 2000 : 200 // oxlint-disable-line no-process-env -- the duration is a setting of the run

const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'
/** Payments in one transaction, few enough for the gas limit of a transaction (EIP-7825). */
const PAYMENTS_PER_TRANSACTION = 20
const TRANSFER = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])

describe(`${PAYMENTS} payments of random terms on a chain, seed ${SEED}`, function () {
  this.timeout(240_000 + PAYMENTS * 500)

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
    await deployFactory(client, toSigner(ACCOUNTS.deployer))
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

  it('each paid the amounts that our own computation predicts, to the atomic unit', () => {
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

  it('each kept the invariants of decisions 1.7', () => {
    for (const { created, paid } of payments) {
      const { allocations } = splitOf(created)
      expect(allocations.reduce((sum, allocation) => sum + allocation, 0)).to.equal(1_000_000)
      expect(findBrokenInvariants(paid), JSON.stringify(created)).to.deep.equal([])
    }
  })

  it('each paid the amounts that the API shows, within one millionth of the amount', () => {
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

  /** Creates a charge with random terms over HTTP. If the terms are rejected because of rounding, tries other terms. */
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

  /** Pays and distributes the charges in one transaction. Returns the splits' payouts from their logs. */
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
      return { created: each, paid: computePaid(each, paidTo) }
    })
  }
})

function connectWallet({ rpcUrl }: Anvil) {
  return createWalletClient({
    account: toSigner(ACCOUNTS.deployer),
    chain: foundry,
    transport: http(rpcUrl),
  }).extend(publicActions)
}
