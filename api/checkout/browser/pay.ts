import type { PageData, PagePayment } from '../page-data.ts'
import { Abandoned, createAgreement, type UntilAgreed, untilAbandonedHasEnded } from './agreement.ts'
import { connect, Refusal } from './ask-wallet.ts'
import { FAMILIES } from './families.ts'
import { asOnlyTab } from './only-tab.ts'
import { announce, element, say } from './page.ts'
import { findSent, followTabs, isOfAnotherPage, keepSending, keepSent, type Sent } from './sent.ts'
import { showSent } from './show-sent.ts'
import { keepOpen, walletButtons } from './wallet-buttons.ts'
import type { Wallet } from './wallets.ts'
import type { Send, Signed } from './way.ts'

/** What is between the payer and his wallet; it outlives every change of the page. */
export type Till = {
  /** Writes the wallets and what was sent into the page, whose parts may be new. */
  readonly show: () => void
  readonly setWallets: (wallets: readonly Wallet[]) => void
  /** Shows a text in place of the last one. */
  readonly tell: (...nodes: readonly (Node | string)[]) => void
  readonly untilAgreed: UntilAgreed
  /** Connects, switches, sends, and keeps the hash; tells of all of it, and of what did not go. */
  readonly pay: (wallet: Wallet, payment: PagePayment, prepare: Prepare) => Promise<void>
}

/** Makes ready what is to be sent, once the account is known. */
export type Prepare = (account: string) => Promise<Send>

/** Who pays what, with which account. */
type Paying = { readonly wallet: Wallet; readonly payment: PagePayment; readonly from: string }

type Deps = {
  readonly current: () => PageData
  /** Answers whether the page is as the service has it now. */
  readonly refresh: () => Promise<boolean>
  /** Makes ready another way to pay the same where the wallet needs one, or answers `null`. */
  readonly instead: (paying: Paying, till: Till) => Promise<Send | null>
  /** What was signed can no longer be carried out, and has not paid, unless the page shows it. */
  readonly hasLapsed: (data: PageData, signed: Signed) => Promise<boolean>
  /** Adds what else a wallet can do here. */
  readonly more: (wallets: readonly Wallet[], till: Till) => readonly Node[]
}

/** Between two looks for what was sent; the service checks a charge once in 10 seconds. */
const CHECK_MS = 12_000

/** Makes the till. */
export function createTill({ current, refresh, instead, hasLapsed, more }: Deps): Till {
  const told = element('p', { role: 'status' })
  let wallets: readonly Wallet[] = []
  let payer: Wallet | null = null
  let checkedAtMs = 0
  /** What stands where, so that a page which is shown again leaves what the payer is about to click. */
  const standing = new WeakMap<Element, string>()
  let walletsFound = 0
  const opened = { is: false }
  /** One at a time: two clicks must not be two payments. */
  let isBusy = false

  const tell: Till['tell'] = (...nodes) => told.replaceChildren(...nodes)
  const agreement = createAgreement(tell)

  function show(): void {
    const data = current()
    const sent = findSettled(data)
    const forget = () => {
      keepSent(data.checkout.id, null)
      // What stood there was of what he says is not so.
      tell()
      show()
    }
    showSent(data, sent, forget)
    showWallets(data)
  }

  function showWallets(data: PageData): void {
    const place = document.getElementById('wallet')
    const { howToPay, family } = data.checkout
    const payment = chosenPayment(data)
    const able = wallets.filter((wallet) => wallet.family === family)
    if (!place || !howToPay || !payment || able.length === 0) return
    const what = JSON.stringify([payment, data.checkout.swapAlternatives, walletsFound])
    if (standing.get(place) === what) return
    standing.set(place, what)
    const payBy = (wallet: Wallet) =>
      till.pay(wallet, payment, async (from) => {
        const other = await instead({ wallet, payment, from }, till)
        const transfer = { from, to: howToPay.address, payment }
        return other ?? FAMILIES[family].way.prepare(wallet.provider, transfer)
      })
    place.replaceChildren(...walletButtons(data, able, payBy), ...more(able, till), told)
    keepOpen(place.querySelector('details'), opened)
  }

  async function pay(wallet: Wallet, payment: PagePayment, prepare: Prepare): Promise<void> {
    // What the payment was made of: the page may show another one before the next line is reached.
    const data = current()
    agreement.abandon()
    await untilAbandonedHasEnded()
    if (isBusy) return
    isBusy = true
    try {
      const account = await reachAccount(data, { wallet, payment }, tell)
      const send = await prepare(account)
      await asOnlyTab(data.checkout.id, async () => {
        // What was asked for may have been paid meanwhile, from here or elsewhere; who cannot know that does not send.
        if (!(await refresh())) return tell(...say(data, 'script.lost'))
        if (!isStillAsked(data, current())) return tell()
        // Another tab was faster.
        if (findSent(current()) !== null) return tell()
        await keepSending(data.checkout, payment.network, send)
        payer = wallet
        tell()
        show()
        announce(document.getElementById('sent')?.textContent ?? '')
      })
      await look()
    } catch (error) {
      if (!(error instanceof Abandoned)) tell(...explain(current(), error))
    } finally {
      isBusy = false
      show()
    }
  }

  /** Leaves out what the wallet is being asked for by this page, which tells of the answer itself. */
  function findSettled(data: PageData): Sent | null {
    const sent = findSent(data)
    return isBusy && sent?.txHash === null && !isOfAnotherPage(sent) ? null : sent
  }

  /** Has what was sent looked for, until the page shows it or it has failed. */
  async function look(): Promise<void> {
    const data = current()
    const sent = findSettled(data)
    if (sent === null || Date.now() - checkedAtMs < CHECK_MS) return
    checkedAtMs = Date.now()
    await requestCheck(data, sent)
    const isOver = await hasFailed(data, sent)
    const isUpToDate = await refresh()
    // Where the page asks for nothing any more it has come, or something has: then it is kept until that is credited.
    if (isOver && isUpToDate && findSent(current()) === sent) {
      keepSent(data.checkout.id, null)
      tell(...tellOfEnd(data, sent))
    }
    show()
  }

  function hasFailed(data: PageData, sent: Sent): Promise<boolean> {
    return sent.signed ? hasLapsed(data, sent.signed) : hasReverted(payer, sent)
  }

  followTabs(current().checkout.id, { refresh, show })
  setInterval(() => void look(), 1000)
  const till: Till = {
    ...{ show, tell, pay, untilAgreed: agreement.until },
    setWallets: (found) => {
      wallets = found
      walletsFound += 1
      show()
    },
  }
  return till
}

/** What was signed elsewhere the payer was told little of, and of its end nothing: he can pay again. */
function tellOfEnd(data: PageData, { signed }: Sent): readonly Node[] {
  if (signed === undefined) return say(data, 'script.reverted')
  return signed.nonce === '' ? [] : say(data, 'script.lapsed')
}

/** Has the service look for what was sent; what it finds is told by the page. */
async function requestCheck({ checkout }: PageData, { txHash, network }: Sent): Promise<void> {
  await fetch(`${checkout.id}/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(txHash === null ? {} : { txHash, network }),
    signal: AbortSignal.timeout(CHECK_MS),
  }).catch(() => undefined)
}

/** Asks for the account, on the network of the payment. */
async function reachAccount(
  data: PageData,
  { wallet, payment }: { readonly wallet: Wallet; readonly payment: PagePayment },
  tell: Till['tell'],
): Promise<string> {
  const network = data.networks[payment.network] ?? payment.network
  tell(...say(data, 'script.asking'))
  const account = await connect(wallet.provider)
  tell(...say(data, 'script.switching', { network }))
  await FAMILIES[wallet.family].way.reach(wallet.provider, payment, network)
  tell(...say(data, 'script.asking'))
  return account
}

function chosenPayment({ checkout, chosen }: PageData): PagePayment | null {
  const payments = checkout.howToPay?.payments ?? []
  return payments.find(({ token, network }) => token === chosen?.token && network === chosen.network) ?? null
}

/** The same amount is still asked for: nothing came in between. */
function isStillAsked(before: PageData, now: PageData): boolean {
  const { screen, amountReceived } = now.checkout
  return screen === 'pay' && amountReceived === before.checkout.amountReceived
}

async function hasReverted(payer: Wallet | null, { txHash }: Sent): Promise<boolean> {
  if (payer === null || txHash === null) return false
  return FAMILIES[payer.family].way.hasReverted(payer.provider, txHash)
}

/** Says what did not go; what is no refusal is a mistake of ours, and said as such. */
function explain(data: PageData, error: unknown): readonly Node[] {
  if (error instanceof Refusal) return say(data, error.phrase, error.values)
  return say(data, 'script.error', { message: String(error).slice(0, 200) })
}
