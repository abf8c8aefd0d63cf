import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeEventLog, encodeFunctionData, type Hex, parseAbi } from 'viem'

import type { Address } from '../../../shared/domain/address.ts'
import { distribute } from '../../../shared/domain/allocation.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { ACCOUNTS, type DevnetAccount } from '../../devnet/accounts.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../../devnet/tron/addresses.ts'
import { MERCHANT, startTestApi, type TestApi, TREASURY } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { findBrokenInvariants, type Paid, wrongFigures } from '../../support/payment-invariants.ts'
import {
  addressOf,
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
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { FEE_LIMIT_SUN } from '../../support/tron-fixture.ts'
import { startTronChain, type TronChainFixture } from '../../support/tron-payout-fixture.ts'
import { insertTrustedTerms } from '../../support/trusted-terms.ts'

/** Part of the title, so that a failure can be repeated. */
const SEED = 20_261_122
const PAYMENTS = process.env['TEST_LONG'] ? 300 : 16 // oxlint-disable-line no-process-env -- the number is a setting of the run

const USDT = TRON_USDT as Address
const TRANSFER = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])
const MINT = parseAbi(['function mint(address to, uint256 amount)'])

describe(`${PAYMENTS} payments with random terms on TRON, seed ${SEED}`, function () {
  this.timeout(60_000 + PAYMENTS * 5_000)

  const random = createRandom(SEED)
  let tron: TronChainFixture
  let directory: string
  let apis: { readonly api: TestApi; readonly key: string; readonly incentiveText: string }[]
  let payments: { readonly created: Created; readonly paid: Paid }[]

  before(async () => {
    tron = await startTronChain()
    directory = await temporaryDirectory('tron-laws')
    apis = await Promise.all(INCENTIVES.map(startApi))
    const created: Created[] = []
    while (created.length < PAYMENTS) created.push(await createCharge())
    payments = []
    for (const each of created) payments.push(await pay(each))
  })

  after(async () => {
    await Promise.all((apis ?? []).map(({ api }) => api.stop()))
    await tron?.stop()
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
    for (const { created, paid } of payments)
      expect(findBrokenInvariants(paid), JSON.stringify(created)).to.deep.equal([])
  })

  it('each paid the amounts that the API shows, within one millionth of the amount and two atomic units per share', () => {
    for (const { created, paid } of payments) {
      const { splitRecipients, ...charge } = created.charge
      const shown = splitRecipients.map((entry) => ({ ...entry, address: addressOf(entry.address) }))
      const figures = { ...charge, splitRecipients: shown }
      expect(wrongFigures(paid, figures, 6), JSON.stringify(created)).to.deep.equal([])
    }
  })

  async function startApi(incentiveText: string) {
    const networks = join(directory, 'networks.json')
    const splitFactory = formatTronAddress(tron.factory)
    await writeFile(
      networks,
      JSON.stringify({ tron: { live: { splitFactory, acceptLossyPayouts: true, minimumCharge: '0' } } }),
    )
    const api = await startTestApi({
      ...{ DISTRIBUTOR_FEE_PERCENT: incentiveText, NETWORKS_CONFIG: networks },
      TREASURY_ADDRESS_TRON: formatTronAddress(TREASURY),
    })
    await api.owner`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, contracts_match,
        head_number, max_head_number, max_head_at)
      values (${TRON_CHAIN_ID}, 'tron', 'live', 'tron', 19, 3000, true, 100, 100, now())`
    await api.owner`
      insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled)
      values (${TRON_CHAIN_ID}, 'tron', 'live', 'USDT', ${USDT}, 6, true)`
    await insertTrustedTerms(api.owner, {
      ...{ family: 'tron', environment: 'live', factory: tron.factory, treasury: TREASURY },
    })
    const { key } = await api.issueKey({
      scopes: ['charges:write', 'charges:split_write'],
      otherPayoutAddresses: { tron: MERCHANT },
    })
    for (const [index, recipient] of RECIPIENTS.entries()) {
      await api.owner`
        insert into recipients (id, organization_id, environment, address, family)
        values (${recipientId(index)}, 'org_one', 'live', ${recipient}, 'tron')`
    }
    return { api, key, incentiveText }
  }

  /** Creates a charge with random terms over HTTP. If the terms are rejected because of rounding, tries other terms. */
  async function createCharge(): Promise<Created> {
    const { api, key, incentiveText } = random.pick(apis)
    const feeText = randomFee(random)
    const splits = randomSplits(random, feeText)
    await api.owner`update organizations set fee_percent = ${feeText}::numeric`
    const entries = splits.map(
      ({ recipient, percentText }) => `{"recipientId":"${recipientId(recipient)}","percent":${percentText}}`,
    )
    const text = `{"amount":${randomAmount(random)},"feePayer":"${random.pick(['merchant', 'payer'])}",
      "acceptedPayments":[{"token":"USDT","network":"tron"}],"expiresIn":3600,"splitRecipients":[${entries.join(',')}]}`
    const answer = await call(api, 'POST /v1/charges', { key, text })
    if (answer.status === 201) return { charge: answer.body, feeText, incentiveText, splits, decimals: 6 }
    expect(answer.body.error.code, text).to.equal('split_recipients_exceed_available_percent')
    return createCharge()
  }

  /** Pays a charge and distributes it as a keeper. Returns the amounts that the split paid according to its logs. */
  async function pay(created: Created) {
    const { salt, splitAddress } = created.charge.addressTerms
    const split = addressOf(splitAddress)
    await send(ACCOUNTS.deployer, {
      to: USDT,
      data: encodeFunctionData({ abi: MINT, args: [split, amountOf(created)] }),
    })
    const data = encodeDistribution({ split: splitOf(created), salt, token: USDT, distributor: KEEPER })
    const logs = await send(ACCOUNTS.keeper, { to: tron.factory, data })
    const transfers = logs
      .filter(({ address }) => address === USDT)
      .flatMap(({ topics, data: bytes }) => {
        const log = decodeEventLog({ abi: TRANSFER, topics: topics as [Hex, ...Hex[]], data: bytes })
        return log.args.from.toLowerCase() === split ? [log.args] : []
      })
    const paidTo = sumByAddress(
      transfers.map(({ to, value }) => [to.toLowerCase() as Address, value] as const),
    )
    return { created, paid: computePaid(created, paidTo) }
  }

  async function send(from: DevnetAccount, { to, data }: { readonly to: Address; readonly data: Hex }) {
    const wallet = tron.walletOf(from)
    const { transaction } = await wallet.transactionBuilder.triggerSmartContract(
      ...([`41${to.slice(2)}`, '', { feeLimit: FEE_LIMIT_SUN, input: data.slice(2) }] as const),
      [],
    )
    await wallet.trx.sendRawTransaction(await wallet.trx.sign(transaction))
    await tron.chain.mine()
    const mined = tron.chain.find(`0x${transaction.txID}`)?.transaction
    expect(mined?.result).to.equal('SUCCESS')
    return mined?.logs ?? []
  }
})
