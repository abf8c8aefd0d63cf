import { readFileSync } from 'node:fs'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Address, ChainFamilyName } from '../../../shared/domain/address.ts'
import {
  CHAIN_FAMILIES,
  findAddressFamily,
  parseAddress,
} from '../../../shared/domain/chain-families/chain-families.ts'
import { parseDecimal, truncateTo } from '../../../shared/domain/decimal.ts'
import { ANY_DISTRIBUTOR } from '../../../shared/domain/distribution-call.ts'
import { findPrivateKey, readExitSecrets } from '../../../shared/runtime/command-config.ts'
import { CommandError, parseOptions, required } from '../../../shared/runtime/command-line.ts'
import { describeExit, type ExitReport } from '../exit/describe-exit.ts'
import { connectChains, type ExitChain } from '../exit/exit-chain.ts'
import type { ExitCharge } from '../exit/exit-charge.ts'
import { listKnownChains } from '../exit/known-chains.ts'
import type { WorthOptions } from '../exit/payment-worth.ts'
import { planChain } from '../exit/plan-chain.ts'
import { presentExit } from '../exit/present-exit.ts'
import { readArchive } from '../exit/read-archive.ts'
import { type PayoutAddresses, selectCharges } from '../exit/select-charges.ts'
import { type SendOutcome, sendPlan } from '../exit/send-plan.ts'
import { createProgress, type Progress } from './progress.ts'
import { readKeyFile } from './read-key-file.ts'

/** The variable with the key that pays for gas. */
const KEY_SETTING = 'EXIT_PRIVATE_KEY'

type Exit = WorthOptions & {
  readonly charges: readonly ExitCharge[]
  readonly chains: readonly ExitChain[]
  readonly account: PrivateKeyAccount | null
}

/** Runs `svc exit`. */
export async function exit(args: string[]): Promise<readonly string[]> {
  const { values } = parseOptions(args, {
    texts: ['archive', 'factory', 'networks-file', 'key-file', 'webhook-secrets-file', 'minimum'],
    lists: ['payout', 'rpc', 'escrow-split'],
    flags: ['send', 'insecure', 'json', 'accept-unsigned', 'native-coin'],
  })
  const directory = required(values.archive, 'archive')
  const payouts = readPayouts(values.payout)
  const factory = values.factory === undefined ? undefined : requireFactory(values.factory)
  const escrowSplits = values['escrow-split'].map(readEscrowSplit)
  const worth = {
    ...{ payouts, minimumMicro: readMinimum(values.minimum ?? '1') },
    includesCoin: values['native-coin'],
  }
  const known = listKnownChains(values['networks-file'])
  const account = readAccount(values['key-file'], values.send)
  if (values.rpc.length === 0) throw new CommandError('--rpc is missing; see --help')

  const progress = createProgress()
  try {
    progress.wait('reading the archive')
    const secrets = readSecrets(values['webhook-secrets-file'])
    const archive = readArchive(directory, { factory, secrets, acceptsUnsigned: values['accept-unsigned'] })
    const { charges, skipped } = selectCharges(archive.charges, payouts)
    const { chains, silent } = await connectChains(values.rpc, {
      known,
      factory,
      isInsecure: values.insecure,
    })
    const plans = await readPlans({ charges, chains, account, ...worth }, progress)
    const report = { archive, charges, skipped, silent, payouts, escrowSplits, ...plans }
    const lines = values.json ? [] : describeExit(report)
    if (!values.send || account === null) return finish({ report, outcomes: [], isJson: values.json }, lines)
    for (const line of lines) progress.say(line)
    const outcomes: SendOutcome[] = []
    for (const plan of report.plans)
      outcomes.push(
        await sendPlan(plan, {
          account,
          say: values.json ? progress.wait : progress.say,
          wait: progress.wait,
        }),
      )
    return finish({ report, outcomes, isJson: values.json }, [])
  } finally {
    progress.stop()
  }
}

async function readPlans(
  { chains, ...options }: Exit,
  progress: Progress,
): Promise<Pick<ExitReport, 'plans' | 'unread'>> {
  const plans: ExitReport['plans'][number][] = []
  const unread: ExitReport['unread'][number][] = []
  for (const chain of chains) {
    progress.wait(`reading ${chain.name}`)
    const { account, payouts } = options
    const sender = account?.address.toLowerCase() ?? payouts.get(chain.family)?.[0]
    // Without a payout address of the family, none of its charges is ours.
    const plan = await planChain(chain, { ...options, account: (sender ?? ANY_DISTRIBUTOR) as Address })
    if ('problem' in plan) unread.push(plan)
    else plans.push(plan)
  }
  return { plans, unread }
}

type Finished = {
  readonly report: ExitReport
  readonly outcomes: readonly SendOutcome[]
  readonly isJson: boolean
}

/** Sets the exit code: 75 if a later run might pay more, 1 if a repetition would not pay everything. */
function finish({ report, outcomes, isJson }: Finished, lines: readonly string[]): readonly string[] {
  const { plans, unread, silent, archive } = report
  const problems = outcomes.flatMap((outcome) => outcome.problems)
  const sent = outcomes.flatMap((outcome) => outcome.sent)
  if (archive.rejected.length > 0 || plans.some(({ blocked }) => blocked.length > 0)) process.exitCode = 1
  if (unread.length + silent.length + problems.length > 0) process.exitCode = 75
  if (isJson) return [presentExit(report, { sent, problems })]
  if (outcomes.length === 0)
    return [
      ...lines,
      '',
      `This was a dry run: nothing was signed. --send pays, with the key in ${KEY_SETTING}.`,
    ]
  const payments = sent.reduce((sum, batch) => sum + batch.payments.length, 0)
  return [
    '',
    ...problems.map((problem) => `FAILED ${problem}`),
    `Made ${payments} payments in ${sent.length} transactions.`,
    'Run it again without --send to see what is left: a share that its recipient cannot receive stays in the split.',
  ]
}

function readPayouts(texts: readonly string[]): PayoutAddresses {
  if (texts.length === 0) throw new CommandError('--payout is missing; see --help')
  const payouts = new Map<ChainFamilyName, Address[]>()
  for (const text of texts) {
    const family = findAddressFamily(text)
    const address = family && CHAIN_FAMILIES[family].parseAddress(text)
    if (family === null || address === null)
      throw new CommandError(`--payout is ${quote(text)}: must be an address, 0x… or T…`)
    payouts.set(family, [...(payouts.get(family) ?? []), address])
  }
  return payouts
}

function readMinimum(text: string): bigint {
  const dollars = parseDecimal(text)
  if (dollars !== null && dollars.digits >= 0n) return truncateTo(dollars, 6)
  throw new CommandError(`--minimum is ${quote(text)}: must be dollars, such as 1 or 0.25`)
}

function readEscrowSplit(text: string): Address {
  const address = parseAddress(text)
  if (address !== null) return address
  throw new CommandError(`--escrow-split is ${quote(text)}: must be the address of a split`)
}

/** Quotes an argument, unless it might be a key that was passed by mistake. */
function quote(text: string): string {
  return /[0-9a-fA-F]{64}/.test(text) ? '(hidden)' : JSON.stringify(text)
}

/** A factory can be named only in a family whose factory differs by network. */
function requireFactory(text: string): string {
  const family = findAddressFamily(text)
  if (family === null) throw new CommandError(`--factory is ${quote(text)}: must be an address, T…`)
  if (CHAIN_FAMILIES[family].fixedFactory === null) return text
  throw new CommandError(
    `--factory is ${JSON.stringify(text)}: the factory of ${family} networks is fixed, omit the option`,
  )
}

function readAccount(keyFile: string | undefined, isNeeded: boolean): PrivateKeyAccount | null {
  const key = keyFile === undefined ? findPrivateKey(KEY_SETTING) : readKeyFile(keyFile)
  if (key !== null) return privateKeyToAccount(key)
  if (!isNeeded) return null
  throw new CommandError(`--send needs a key: set ${KEY_SETTING}, or pass --key-file`)
}

/** Messages must not show the secrets. */
function readSecrets(file: string | undefined): readonly string[] {
  const secrets = file === undefined ? readExitSecrets() : readSecretsFile(file)
  const at = secrets.findIndex((secret) => !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret))
  if (at < 0) return secrets
  throw new CommandError(`webhook secret ${at + 1} is malformed: it must be whsec_ and base64`)
}

function readSecretsFile(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split(/\s+/).filter(Boolean)
  } catch (error) {
    throw new CommandError(`--webhook-secrets-file cannot be read: ${(error as Error).message}`)
  }
}
