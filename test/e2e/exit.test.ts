import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { createPublicClient, createWalletClient, custom, encodeFunctionData, type Hex, http } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { requireData } from '../../api/client/client.ts'
import { safeAbi } from '../../shared/chain/abi/safe.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { Pair, Token } from '../../shared/domain/networks.ts'
import { ACCOUNTS, toSigner } from '../devnet/accounts.ts'
import { ARC_CHAIN } from '../devnet/arc/arc-chain.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { requireMined } from '../devnet/require-mined.ts'
import { findToken } from '../devnet/send-tokens.ts'
import { TRON_ACCOUNTS, toTronAddress } from '../devnet/tron/accounts.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { createArcMoney } from '../support/books/arc-money.ts'
import { createEvmMoney } from '../support/books/evm-money.ts'
import type { MoneyChain } from '../support/books/money-chain.ts'
import { createTronMoney } from '../support/books/tron-money.ts'
import { createEscrow, type PreparedJson, prepare, sign } from '../support/escrow-scenario.ts'
import { addressOf } from '../support/random-terms.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { runToEnd } from '../support/run-to-end.ts'
import { type ChargeJson, createCharge, expireAt, waitForCharge } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { TRON_WITH_USDC } from '../support/tron-with-usdc.ts'

const SVC = resolve(import.meta.dirname, '../../dist/client/bin/svc.js')
const NOBODY = `0x${'0'.repeat(40)}` as Address
const DOLLAR_ATTO = 10n ** 18n
const CENT_ATTO = 10n ** 16n
const isLong = process.env['TEST_LONG'] === '1'
/** Multiplier of the counts in `KINDS`. The test has 17 charges, none of them on Arc, and 200 in the long suite. */
const FACTOR = isLong ? 10 : 1
/** Only the long suite uses Arc, because a chain takes 10 s of CPU time. test/property/exit-charge covers dust. */
const ARC = isLong ? [ARC_CHAIN] : []

/** A charge, and the amount that is paid to it. */
type Case = {
  readonly kind: Kind
  readonly charge: ChargeJson
  readonly chain: MoneyChain
  readonly token: Token
  readonly paidAtto: bigint
}

/** A transaction that a releaser must sign, as `--json` prints it. */
type ListedOrder = {
  readonly typedData: { readonly message: Readonly<Record<string, unknown>> }
  readonly creation: { readonly to: Address; readonly data: Hex } | null
  readonly transaction: { readonly safeAddress: Address }
}

/** The parameters of Safe's `execTransaction` before the signature, by their names in the typed data. */
const EXECUTION_FIELDS = [
  ...['to', 'value', 'data', 'operation', 'safeTxGas', 'baseGas'],
  ...['gasPrice', 'gasToken', 'refundReceiver'],
] as const

type Kind = 'open' | 'confirmed' | 'underpaid' | 'late' | 'held' | 'escrow' | 'arc' | 'tron'

const KINDS: Readonly<Record<Kind, { readonly count: number; readonly pairs: readonly Pair[] }>> = {
  open: { count: 2, pairs: [{ token: 'USDC', network: 'base' }] },
  confirmed: {
    count: 4,
    pairs: [
      { token: 'USDC', network: 'base' },
      { token: 'USDT', network: 'base' },
    ],
  },
  underpaid: { count: 2, pairs: [{ token: 'USDC', network: 'base' }] },
  late: { count: 2, pairs: [{ token: 'USDC', network: 'base' }] },
  held: { count: 2, pairs: [{ token: 'USDC', network: 'base' }] },
  escrow: { count: 2, pairs: [{ token: 'USDC', network: 'base' }] },
  arc: { count: 3, pairs: [{ token: 'USDC', network: 'arc' }] },
  tron: { count: 3, pairs: [{ token: 'USDT', network: 'tron' }] },
}

describe('svc exit, with only archived API responses and webhooks, nodes, and a key for gas', function () {
  this.timeout((isLong ? 45 : 15) * 60_000)
  let devnet: Devnet
  let receiver: Receiver
  let directory: string
  let archive: string
  let chains: readonly MoneyChain[]
  let cases: readonly Case[]
  /** The release of an escrow that the service prepared before the service was stopped. */
  let prepared: PreparedJson
  let balances: ReadonlyMap<string, bigint>
  let nonceBefore: number

  before(async () => {
    directory = await temporaryDirectory('e2e-exit')
    archive = join(directory, 'archive')
    await mkdir(archive)
    // With this grace period, the service itself pays out nothing.
    devnet = await startDevnet({
      ...{ directory, program: 'dist', graceSeconds: 600 },
      chains: [BASE, ...ARC, TRON_WITH_USDC],
    })
    receiver = await startReceiver()
    const body = { url: receiver.url, eventCategories: ['payments' as const] }
    const { secret } = await requireData(createApiCaller(devnet.description).POST('/v1/webhooks', { body }))
    await writeFile(join(directory, 'secrets'), `${secret}\n`)
    const arc = devnet.chains.filter(({ network }) => network === ARC_CHAIN.network)
    chains = [await createEvmMoney(devnet, 'base'), ...arc.map(createArcMoney), createTronMoney(devnet)]
    cases = await createCases()
    await payCases()
    const escrow = cases.find(({ kind }) => kind === 'escrow')
    prepared = (await prepare(devnet, escrow?.charge.id ?? '', 'release')).body
    await keepRecords()
    await stopEverything()
    balances = await readBalances()
    nonceBefore = await readNonce()
  })

  after(async () => {
    await devnet?.stop()
    await receiver?.stop()
  })

  it('lists every charge and the totals, and signs nothing without --send', async () => {
    const { code, output, error } = await exit([])
    expect(code, error + output).to.equal(0)
    for (const { charge } of cases) expect(output).to.include(charge.id)
    expect(output).to.include(`${cases.length} charges in the archive: ${cases.length} pay you`)
    expect(output).to.include('This was a dry run: nothing was signed.')
    expect(output).to.match(/^ {2}base: \d+ payments, gas about [0-9.]+ ETH, at most [0-9.]+$/m)
    expect(output).to.match(/^ {2}tron: \d+ payments, gas about [0-9.]+ TRX, at most [0-9.]+$/m)
    expect(await readBalances()).to.deep.equal(balances)
  })

  it('lists the transaction that each escrow’s releaser must sign, identical to the one that the service prepared', async () => {
    const { output, error } = await exit(['--json'])
    const { chains: listed } = JSON.parse(output) as {
      chains: { holdings: { charge: string; inEscrow: string; escrowOrder: unknown }[] }[]
    }
    const orders = listed
      .flatMap(({ holdings }) => holdings)
      .filter(({ escrowOrder }) => escrowOrder !== null)
    expect(orders.map(({ charge }) => charge).toSorted(), error + output).to.deep.equal(
      cases
        .filter(({ kind }) => kind === 'escrow')
        .map(({ charge }) => charge.id)
        .toSorted(),
    )
    const same = orders.map(({ escrowOrder }) => escrowOrder as PreparedJson)
    expect(same.map(({ safeTxHash }) => safeTxHash)).to.include(prepared.safeTxHash)
    const order = same.find(({ safeTxHash }) => safeTxHash === prepared.safeTxHash)
    expect(order?.typedData).to.deep.equal(prepared.typedData)
  })

  it('skips charges whose terms do not contain the given payout address', async () => {
    const { output } = await exit(['--send'], { payouts: [ACCOUNTS.payer2.address] })
    expect(output).to.include(`${cases.length} charges in the archive: 0 pay you, ${cases.length} skipped`)
    expect(output).to.include('Made 0 payments in 0 transactions.')
    expect(await readBalances()).to.deep.equal(balances)
  })

  it('rejects a node of an unknown chain, and does not print the key in the node’s URL', async () => {
    const url = `${urls()[0]}/?key=secret-key`
    const { code, error } = await exit([], { urls: [url], isKnown: false })
    expect(code, error).to.equal(1)
    expect(error).to.include(`serves chain ${BASE.chainId}: must be one of base 8453`)
    expect(error).to.not.include('secret-key')
  })

  it('reads the other chains if a node does not respond, and names that node', async () => {
    const others = urls().slice(1, -1)
    const { code, output, error } = await exit([], { urls: ['http://127.0.0.1:1/secret-key', ...others] })
    expect(code, output + error).to.equal(75)
    expect(output).to.match(/^NOT READ.*\n {2}the chain of 127\.0\.0\.1:1: the node did not return its id$/m)
    expect(output).to.match(/^ {2}tron: \d+ payments, gas about [0-9.]+ TRX, at most [0-9.]+$/m)
    expect(output + error).to.not.include('secret-key')
  })

  it('reports in JSON that the key’s account lacks coins for gas', async () => {
    const { code, output, error } = await exit(['--send', '--json'], { key: generatePrivateKey() })
    expect(code, output + error).to.equal(75)
    const { problems, transactions } = JSON.parse(output) as { problems: string[]; transactions: unknown[] }
    expect(problems).to.have.length(chains.length)
    expect(problems[0]).to.match(/^base: 0x\w+ has 0 ETH for gas; all payments need about [0-9.]+ ETH$/)
    expect(transactions).to.deep.equal([])
    expect(await readBalances()).to.deep.equal(balances)
  })

  it('pays every unit, although its first run is killed', async () => {
    await killWhileWaiting()
    const { code, output, error } = await exit(['--send'])
    expect(code, output + error).to.equal(0)
    expect(await readBalances()).to.deep.equal(addShares())
    // The second run waits for the first run's transaction. The bound assumes batches of at least 30 payments.
    expect((await readNonce()) - nonceBefore).to.be.within(1, Math.ceil(cases.length / 30))
  })

  it('sends nothing when it runs again', async () => {
    const before = await readBalances()
    const { code, output } = await exit(['--send'])
    expect(code).to.equal(0)
    expect(output).to.include('Made 0 payments in 0 transactions.')
    expect(await readBalances()).to.deep.equal(before)
  })

  it('pays an escrow after its releaser has signed the listed transaction', async () => {
    const before = await readBalances()
    const released = await releaseEscrow()
    const { code, output, error } = await exit(['--send'])
    expect(code, output + error).to.equal(0)
    expect(output).to.match(/^base: sent ch_\w+ 10(\.\d+)? USDC in 0x/m)
    const after = await readBalances()
    const gained = released.charge.addressTerms.recipients.map(({ address }) => {
      const key = keyOf(released, address)
      return (after.get(key) ?? 0n) - (before.get(key) ?? 0n)
    })
    expect(gained.reduce((sum, one) => sum + one)).to.equal(released.paidAtto)
  })

  /** Signs the listed transaction as a wallet would, and sends it as docs/leaving.md shows. */
  async function releaseEscrow(): Promise<Case> {
    const { output } = await exit(['--json'])
    const { chains: listed } = JSON.parse(output) as {
      chains: { holdings: { charge: string; escrowOrder: ListedOrder | null }[] }[]
    }
    const found = listed.flatMap(({ holdings }) => holdings).find(({ escrowOrder }) => escrowOrder !== null)
    const released = cases.find(({ charge }) => charge.id === found?.charge)
    const order = found?.escrowOrder
    if (!order || released === undefined) throw new Error('no escrow is listed')
    const signature = await sign(order as unknown as PreparedJson, ACCOUNTS.releaser)
    const { client } = findToken(devnet.description, { token: 'USDC', network: 'base' })
    const account = toSigner(ACCOUNTS.payer2)
    const wallet = createWalletClient({ account, chain: client.chain, transport: custom(client) })
    if (order.creation !== null) await requireMined(client, await wallet.sendTransaction(order.creation))
    const { message } = order.typedData
    const args = EXECUTION_FIELDS.map((name) => message[name])
    const data = encodeFunctionData({
      abi: safeAbi,
      functionName: 'execTransaction',
      args: [...args, signature] as never,
    })
    const to = order.transaction.safeAddress
    await requireMined(client, await wallet.sendTransaction({ to, data }))
    return released
  }

  async function createCases(): Promise<readonly Case[]> {
    const made: Case[] = []
    const kinds = (Object.entries(KINDS) as [Kind, (typeof KINDS)[Kind]][]).filter(
      ([kind]) => isLong || kind !== 'arc',
    )
    for (const [kind, { count, pairs }] of kinds)
      for (let index = 0; index < count * FACTOR; index += 1) made.push(await createCase(kind, pairs, index))
    return made
  }

  async function createCase(kind: Kind, pairs: readonly Pair[], index: number): Promise<Case> {
    const pair = pairs[index % pairs.length]
    const chain = chains.find(({ network }) => network === pair?.network)
    if (pair === undefined || chain === undefined) throw new Error(`no chain for ${kind}`)
    const terms = { amount: 10, acceptedPayments: [...pairs] }
    const charge = kind === 'escrow' ? await createEscrow(devnet, terms) : await createCharge(devnet, terms)
    const dust = chain.unitAtto === 1n ? 1n : 0n // On Arc, a payment can exceed the amount by a fraction of a unit.
    const amounts: Partial<Record<Kind, bigint>> = { open: 0n, underpaid: 3n * DOLLAR_ATTO + CENT_ATTO }
    const paidAtto = amounts[kind] ?? 10n * DOLLAR_ATTO + BigInt(index) * CENT_ATTO + dust
    return { ...{ kind, charge, chain, paidAtto }, token: pair.token }
  }

  /** Pays the charges. Pays the late charges after they have expired. */
  async function payCases(): Promise<void> {
    const isLate = ({ kind }: Case) => kind === 'late'
    for (const one of cases.filter((one) => !isLate(one))) await payCase(one)
    for (const chain of chains) await chain.untilMined()
    await untilStatus(['confirmed', 'escrow', 'held', 'arc', 'tron'], 'confirmed')
    await untilStatus(['underpaid'], 'partially_paid')
    const ids = cases
      .filter(({ kind }) => kind === 'late' || kind === 'underpaid')
      .map(({ charge }) => charge.id)
    await expireAt(devnet, { ids, seconds: BigInt(Math.floor(Date.now() / 1000) - 1) })
    await untilStatus(['late'], 'expired')
    await untilStatus(['underpaid'], 'underpaid')
    for (const one of cases.filter(isLate)) await payCase(one)
    await holdShares()
    for (const chain of chains) await chain.untilMined()
  }

  async function payCase({ charge, chain, token, paidAtto: amountAtto }: Case): Promise<void> {
    const [payer] = chain.payers
    if (payer === undefined || amountAtto === 0n) return
    await chain.pay({ token, to: charge.address, payer, amountAtto })
  }

  async function untilStatus(kinds: readonly Kind[], status: string): Promise<void> {
    for (const { kind, charge } of cases)
      if (kinds.includes(kind))
        await waitForCharge(devnet, charge.id, { what: status, holds: (one) => one.status === status })
  }

  /** Distributes while the issuer restricts the treasury, so that the treasury's shares are held. */
  async function holdShares(): Promise<void> {
    const treasury = addressOf(ACCOUNTS.treasury.address)
    const held = cases.filter(({ kind }) => kind === 'held')
    const [chain] = held.map((one) => one.chain)
    await chain?.restrict(treasury, true)
    await chain?.untilMined()
    for (const { charge, token } of held) await chain?.distribute({ charge, token, distributor: NOBODY })
    await chain?.untilMined()
    await chain?.restrict(treasury, false)
  }

  function isKeptUnsigned(index: number): boolean {
    return index % 3 === 0
  }

  /** Archives the API responses of a third of the charges, and the webhooks of the other charges in two formats. */
  async function keepRecords(): Promise<void> {
    const isTold = ({ charge }: Case) => receiver.requests.some(({ body }) => body.includes(charge.id))
    await waitFor(() => cases.every(isTold), { what: 'webhooks of every charge', timeoutMs: 60_000 })
    const lines: string[] = []
    for (const [index, { charge }] of cases.entries()) {
      const told = receiver.requests.filter(({ body }) => body.includes(charge.id))
      if (isKeptUnsigned(index)) await keep(`${charge.id}.json`, JSON.stringify(charge, null, 2))
      if (index % 3 === 1)
        for (const [number, { headers, body }] of told.toReversed().entries())
          await keep(`${charge.id}.${number}.http`, toMessage(headers, body))
      if (index % 3 === 2) lines.push(...told.map(({ headers, body }) => JSON.stringify({ headers, body })))
    }
    await keep('webhooks.log', `${[...lines, ...lines].join('\n')}\n`)
  }

  function toMessage(headers: Receiver['requests'][number]['headers'], body: string): string {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`)
    return `POST /hook HTTP/1.1\r\n${lines.join('')}\r\n${body}`
  }

  function keep(name: string, text: string): Promise<void> {
    return writeFile(join(archive, name), text)
  }

  /** Stops all processes of the service, and deletes the database. */
  async function stopEverything(): Promise<void> {
    await Promise.all([devnet.indexer.stop(), devnet.api.stop()])
    await devnet.postgres.stop()
    await receiver.stop()
  }

  /** Returns the nodes' URLs, with two host names for the node of base, so that it counts as two nodes. */
  function urls(): readonly string[] {
    const { networks } = devnet.description
    const found = [networks.base, ...(isLong ? [networks.arc] : []), networks.tron].map(
      (network) => network?.live?.rpcUrl ?? '',
    )
    return [...found, (found[0] ?? '').replace('127.0.0.1', 'localhost')]
  }

  function command(options: ExitOptions): readonly string[] {
    const payouts = options.payouts ?? [ACCOUNTS.merchant.address, toTronAddress(TRON_ACCOUNTS.tronMerchant)]
    const file = ['--networks-file', join(directory, 'networks.json')]
    return [
      ...['exit', '--archive', archive, '--webhook-secrets-file', join(directory, 'secrets')],
      ...['--factory', devnet.description.networks.tron?.live.factory ?? ''],
      ...(options.isKnown === false ? [] : file),
      // The held shares are only cents. By default, payments below one dollar are skipped.
      ...['--accept-unsigned', '--minimum', '0'],
      // For other escrows, the signature of a webhook confirms the split.
      ...cases.flatMap(({ kind, charge }, index) =>
        kind === 'escrow' && isKeptUnsigned(index)
          ? ['--escrow-split', charge.addressTerms.splitAddress]
          : [],
      ),
      ...payouts.flatMap((payout) => ['--payout', payout]),
      ...(options.urls ?? urls()).flatMap((url) => ['--rpc', url]),
    ]
  }

  type ExitOptions = {
    readonly payouts?: readonly string[]
    readonly urls?: readonly string[]
    readonly isKnown?: boolean
    /** Private key of the account that pays for gas. Default: the keeper's. */
    readonly key?: Hex
  }

  function exit(args: readonly string[], options: ExitOptions = {}) {
    const { key = ACCOUNTS.keeper.privateKey } = options
    return runToEnd(SVC, [...command(options), ...args], { EXIT_PRIVATE_KEY: key })
  }

  /** Kills the command as soon as it has broadcast its first transaction. */
  async function killWhileWaiting(): Promise<void> {
    const child = spawn(process.execPath, [SVC, ...command({}), '--send'], {
      env: { ...process.env, EXIT_PRIVATE_KEY: ACCOUNTS.keeper.privateKey },
    })
    let error = ''
    await new Promise<void>((done) => {
      child.stderr.on('data', (chunk: Buffer) => {
        error += chunk.toString()
        if (error.includes('is mined, with')) child.kill('SIGKILL')
      })
      child.on('close', () => done())
    })
    expect(error).to.include('base: waiting until 0x')
  }

  /**
   * Reads the balances of recipients, of each charge's addresses, and of the account that pays for gas. Omits that
   * account on Arc, where gas is paid in USDC.
   */
  async function readBalances(): Promise<ReadonlyMap<string, bigint>> {
    const found = new Map<string, bigint>()
    const keeper = addressOf(ACCOUNTS.keeper.address)
    for (const one of cases) {
      const { chain, token, charge } = one
      const recipients = charge.addressTerms.recipients.map(({ address }) => addressOf(address))
      const { splitAddress } = charge.addressTerms
      const others = chain.unitAtto === 1n ? [] : [keeper] // Of these chains, only Arc has units of 1 atto.
      for (const account of [...recipients, ...others, addressOf(charge.address), addressOf(splitAddress)]) {
        const key = keyOf(one, account)
        if (!found.has(key)) found.set(key, await chain.readBalance(token, account))
      }
    }
    return found
  }

  /** Computes the balances after the exit, which pays each split's money to the recipients in its terms. */
  function addShares(): ReadonlyMap<string, bigint> {
    const after = new Map(balances)
    const add = (key: string, amount: bigint) => after.set(key, (after.get(key) ?? 0n) + amount)
    for (const one of cases) {
      const { kind, chain, charge, paidAtto } = one
      const unit = chain.unitAtto === 1n ? 10n ** 12n : chain.unitAtto
      const units = kind === 'escrow' ? 0n : paidAtto / unit
      const [merchant, treasury, ...others] = charge.addressTerms.recipients
      if (merchant === undefined || treasury === undefined || others.length > 0)
        throw new Error('the charge must pay exactly a merchant and the treasury')
      const fee = (units * BigInt(treasury.allocation)) / 1_000_000n
      // The merchant's share of a held charge was paid before the exit.
      const own = kind === 'held' ? 0n : units - fee
      add(keyOf(one, merchant.address), own * unit)
      add(keyOf(one, treasury.address), fee * unit)
      add(keyOf(one, charge.addressTerms.splitAddress), -(own + fee) * unit)
    }
    return after
  }

  function keyOf({ chain, token }: Case, account: string): string {
    return `${chain.network} ${token} ${addressOf(account)}`
  }

  function readNonce(): Promise<number> {
    const client = createPublicClient({ transport: http(urls()[0]) })
    return client.getTransactionCount({ address: ACCOUNTS.keeper.address as Hex })
  }
})
