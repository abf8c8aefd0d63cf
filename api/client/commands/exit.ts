import { readFileSync } from 'node:fs'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Address } from '../../../shared/domain/address.ts'
import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { ANY_DISTRIBUTOR } from '../../../shared/domain/distribution-call.ts'
import { findPrivateKey, readExitSecrets } from '../../../shared/runtime/command-config.ts'
import { CommandError, parseOptions, required } from '../../../shared/runtime/command-line.ts'
import { describeExit, describePayment, type ExitReport, getMaxCost } from '../exit/describe-exit.ts'
import { connectChains, type ExitChain } from '../exit/exit-chain.ts'
import type { ExitCharge } from '../exit/exit-charge.ts'
import { listKnownChains } from '../exit/known-chains.ts'
import type { WorthOptions } from '../exit/payment-worth.ts'
import { type ChainPlan, planChain, type UnreadChain } from '../exit/plan-chain.ts'
import { presentExit } from '../exit/present-exit.ts'
import { readArchive } from '../exit/read-archive.ts'
import { selectCharges } from '../exit/select-charges.ts'
import { type SendOutcome, sendPlan } from '../exit/send-plan.ts'
import { isWebhookSecret } from '../verify-webhook.ts'
import { readEscrowSplit, readFactory, readMaxCosts, readMinimum, readPayouts } from './exit-options.ts'
import { createProgress, type Progress } from './progress.ts'
import { readKeyFile } from './read-key-file.ts'

/** The environment variable with the private key of the account that pays for gas. */
const KEY_SETTING = 'EXIT_PRIVATE_KEY'

/** Maximum charges per run; reading their balances takes minutes. */
const MAX_CHARGES = 100_000

type Exit = WorthOptions & {
  readonly charges: readonly ExitCharge[]
  readonly chains: readonly ExitChain[]
  readonly account: PrivateKeyAccount | null
  readonly progress: Progress
}

/** Runs `svc exit`. */
export async function exit(args: string[]): Promise<readonly string[]> {
  const { values } = parseOptions(args, {
    texts: ['archive', 'factory', 'networks-file', 'key-file', 'webhook-secrets-file', 'minimum'],
    lists: ['payout', 'rpc', 'escrow-split', 'max-cost'],
    flags: ['send', 'insecure', 'json', 'accept-unsigned', 'native-coin'],
  })
  const directory = required(values.archive, 'archive')
  const payouts = readPayouts(values.payout)
  const known = listKnownChains(values['networks-file'])
  const factory = readFactory(values.factory, known)
  const escrowSplits = values['escrow-split'].map(readEscrowSplit)
  const maxCosts = readMaxCosts(values['max-cost'], known)
  const worth = {
    ...{ payouts, minimumMicro: readMinimum(values.minimum ?? '1') },
    includesCoin: values['native-coin'],
  }
  const account = readAccount(values['key-file'], values.send)
  if (values.rpc.length === 0) throw new CommandError('--rpc is missing; see --help')

  const progress = createProgress()
  try {
    progress.wait('reading the archive')
    const secrets = readSecrets(values['webhook-secrets-file'])
    const archive = readArchive(directory, { factory, secrets, acceptsUnsigned: values['accept-unsigned'] })
    const { charges, skipped } = selectCharges(archive.charges, payouts)
    if (charges.length > MAX_CHARGES)
      throw new CommandError(
        `${charges.length} charges in --archive pay you, but one run handles at most ${MAX_CHARGES}: use several directories`,
      )
    const { chains, silent } = await connectChains(values.rpc, {
      known,
      factory,
      isInsecure: values.insecure,
    })
    const run = { charges, chains, account, progress, ...worth }
    const report = {
      ...{ archive, charges, skipped, silent, payouts, escrowSplits, maxCosts },
      ...(await readPlans(run)),
    }
    const lines = values.json ? [] : describeExit(report)
    if (!values.send || account === null)
      return finish({ report, outcomes: null, isJson: values.json }, lines)
    for (const line of lines) progress.say(line)
    const say = values.json ? progress.wait : progress.say
    const outcomes: SendOutcome[] = []
    for (const plan of report.plans)
      outcomes.push(
        await sendPlan(plan, {
          ...{ account, payouts, say, wait: progress.wait },
          maxCost: getMaxCost(plan, maxCosts),
          planAgain: () => readPlan(plan.chain, run),
        }),
      )
    return finish({ report, outcomes, isJson: values.json }, [])
  } finally {
    progress.stop()
  }
}

async function readPlans(run: Exit): Promise<Pick<ExitReport, 'plans' | 'unread'>> {
  const plans: ChainPlan[] = []
  const unread: UnreadChain[] = []
  for (const chain of run.chains) {
    const plan = await readPlan(chain, run)
    if ('problem' in plan) unread.push(plan)
    else plans.push(plan)
  }
  return { plans, unread }
}

function readPlan(chain: ExitChain, { progress, ...options }: Exit): Promise<ChainPlan | UnreadChain> {
  progress.wait(`reading ${chain.name}`)
  const { account, payouts } = options
  const sender = account?.address.toLowerCase() ?? payouts.get(chain.family)?.[0]
  // Without a payout address of the family, no charge of the family is selected, so this account is never used.
  return planChain(chain, { ...options, account: (sender ?? ANY_DISTRIBUTOR) as Address })
}

type Finished = {
  readonly report: ExitReport
  /** `null` in a dry run. */
  readonly outcomes: readonly SendOutcome[] | null
  readonly isJson: boolean
}

/**
 * Sets the exit code: 75 if a node did not respond, a chain was not read completely or sending had a problem, because a
 * later run might pay more; otherwise 1 if a payment would fail, a share is held or a record was rejected. Returns the
 * lines to print.
 */
function finish({ report, outcomes, isJson }: Finished, lines: readonly string[]): readonly string[] {
  const { plans, unread, silent, archive } = report
  const problems = (outcomes ?? []).flatMap((outcome) => outcome.problems)
  const held = (outcomes ?? []).flatMap(({ chain, held }) => held.map((one) => ({ chain, one })))
  const isBlocked = plans.some(({ blocked }) => blocked.length > 0)
  const isUnread = unread.length + silent.length > 0 || plans.some((plan) => plan.problems.length > 0)
  if (archive.rejectedCount > 0 || isBlocked || held.length > 0) process.exitCode = 1
  if (isUnread || problems.length > 0) process.exitCode = 75
  if (isJson) return [presentExit(report, outcomes ?? [])]
  if (outcomes === null) return [...lines, '', ...describeDryRun(report)]
  const transactions = outcomes.reduce((sum, { sent }) => sum + sent.length, 0)
  return [
    '',
    ...outcomes.flatMap(describePaid),
    ...problems.map((problem) => `FAILED ${problem}`),
    ...held.map(
      ({ chain, one }) =>
        `HELD ${chain.name}: ${describePayment(one)}, who could not receive it: run the command again later`,
    ),
    `Made ${outcomes.reduce((sum, { paid }) => sum + paid.length, 0)} payments in ${transactions} transactions.`,
    'Run the command again without --send to see the remaining balances.',
  ]
}

function describePaid({ chain, paid, nodes }: SendOutcome): readonly string[] {
  if (paid.length === 0) return []
  return [`${chain.name}: ${paid.length} payments were made, according to ${nodes.join(' and ')}`]
}

function describeDryRun({ plans, maxCosts }: ExitReport): readonly string[] {
  const limits = plans
    .filter(({ payable }) => payable.length > 0)
    .map((plan) => {
      const { chain } = plan
      return `--max-cost '${chain.name}=${formatDecimal(getMaxCost(plan, maxCosts), chain.coin.decimals)}'`
    })
  return [
    `This was a dry run: nothing was signed. To pay, add --send, and set ${KEY_SETTING} or pass --key-file.`,
    ...(limits.length === 0
      ? []
      : [`To limit the costs to these amounts when you pay, add: ${limits.join(' ')}`]),
  ]
}

function readAccount(keyFile: string | undefined, isNeeded: boolean): PrivateKeyAccount | null {
  const key = keyFile === undefined ? findPrivateKey(KEY_SETTING) : readKeyFile(keyFile)
  if (key !== null) return privateKeyToAccount(key)
  if (!isNeeded) return null
  throw new CommandError(`--send needs a key: set ${KEY_SETTING}, or pass --key-file`)
}

/** Reads the webhook secrets, from the file if one is given. Messages must not show them. */
function readSecrets(file: string | undefined): readonly string[] {
  const secrets = file === undefined ? readExitSecrets() : readSecretsFile(file)
  const at = secrets.findIndex((secret) => !isWebhookSecret(secret))
  if (at < 0) return secrets
  throw new CommandError(
    `webhook secret ${at + 1} is malformed: it must be whsec_ followed by 44 characters of base64`,
  )
}

/** @throws {CommandError} also if the file contains no secret, because without secrets unsigned records are accepted */
function readSecretsFile(file: string): readonly string[] {
  const secrets = readText(file).split(/\s+/).filter(Boolean)
  if (secrets.length > 0) return secrets
  throw new CommandError(`--webhook-secrets-file ${file} contains no secret`)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandError(`--webhook-secrets-file cannot be read: ${(error as Error).message}`)
  }
}
