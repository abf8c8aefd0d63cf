import type { EscrowPageData, PageOrder } from '../page-data.ts'
import { callService } from './call-service.ts'
import { connect, switchChain, toWalletError } from './call-wallet.ts'
import { Abandoned, createConsent, waitForAbandoned } from './consent.ts'
import { button, element, nameWallet, setText } from './page.ts'
import { signTypedData } from './sign-typed-data.ts'
import { isWalletError, WalletError } from './wallet-error.ts'
import type { Wallet } from './wallets.ts'

type Escrow = NonNullable<EscrowPageData['escrow']>
type Data = EscrowPageData & { readonly escrow: Escrow }
type Action = keyof Escrow['orders']

const PHRASES = { release: 'escrow.releaseWith', refund: 'escrow.refundWith' } as const

/** Timeout of an order. The service responds within 30 s; the other 15 s are for slow connections. */
const SUBMIT_WITHIN_MS = 45_000

/**
 * Creates the function that shows, for each possible order, one button per wallet that can sign it. After the
 * service has accepted an order, the page reloads, so that only the server decides what it shows.
 */
export function createSigning(data: Data): (wallets: readonly Wallet[]) => void {
  const message = element('div', { role: 'status' })
  const showMessage = (...nodes: readonly (Node | string)[]) => message.replaceChildren(...nodes)
  const agreement = createConsent(showMessage)
  let isBusy = false

  async function order(wallet: Wallet, action: Action, place: Element): Promise<void> {
    agreement.abandon()
    await waitForAbandoned()
    if (isBusy) return
    isBusy = true
    place.append(message)
    try {
      await signAndSubmit(data, { wallet, action, showMessage, untilAgreed: agreement.until })
    } catch (error) {
      if (!(error instanceof Abandoned)) showMessage(...explain(data, error))
    } finally {
      isBusy = false
    }
  }

  return (wallets) => {
    const able = wallets.filter(({ family }) => family === data.escrow.family)
    if (able.length === 0) return
    document.getElementById('need')?.remove()
    for (const place of document.querySelectorAll<HTMLElement>('[data-action]')) {
      const action = place.dataset['action'] as Action
      const buttons = able.map((wallet) =>
        button(setText(data, PHRASES[action], { wallet: nameWallet(data, wallet) }), () =>
          order(wallet, action, place),
        ),
      )
      const shown = place.contains(message) ? [message] : []
      place.replaceChildren(...buttons, ...shown)
    }
  }
}

type Signing = {
  readonly wallet: Wallet
  readonly action: Action
  readonly showMessage: (...nodes: readonly (Node | string)[]) => void
  readonly untilAgreed: ReturnType<typeof createConsent>['until']
}

/**
 * Connects the releaser's account, shows the transfer, lets the wallet sign it, submits the signature, and reloads the
 * page.
 *
 * @throws {WalletError} with the text to show
 * @throws {Abandoned} if the releaser starts another order before agreeing to this one
 */
async function signAndSubmit(
  data: Data,
  { wallet, action, showMessage, untilAgreed }: Signing,
): Promise<void> {
  const { escrow } = data
  const { provider } = wallet
  const { [action]: order } = escrow.orders
  if (order === null) return
  showMessage(...setText(data, 'escrow.asking'))
  const from = await connect(provider)
  if (from.toLowerCase() !== escrow.releaser.toLowerCase())
    throw new WalletError('escrow.otherAccount', { account: from, address: escrow.releaser })
  showMessage(...setText(data, 'script.switching', { network: escrow.network }))
  await switchChain(provider, escrow, escrow.network)
  const values = { amount: escrow.shownAmount, address: order.destination }
  const go = setText(data, 'script.go', { wallet: nameWallet(data, wallet) })
  await untilAgreed((goOn) => [...setText(data, 'escrow.sign', values), ' ', button(go, goOn)])
  showMessage(...setText(data, 'escrow.asking'))
  const signature = await signTypedData(provider, { from, on: escrow, typedData: order.typedData })
  showMessage(...setText(data, 'script.signedTitle'))
  await submit({ action, order, signature })
  location.reload()
}

/** @throws {WalletError} unless the service accepts the order */
async function submit({
  action,
  order: { amount },
  signature,
}: {
  readonly action: Action
  readonly order: PageOrder
  readonly signature: string
}): Promise<void> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action, signature, amount }),
  }
  const said = await callService(location.pathname, init, SUBMIT_WITHIN_MS)
  if (said.type === 'yes') return
  const isBlocked = said.type === 'no' && BLOCKED.has(said.code)
  throw new WalletError(isBlocked ? 'escrow.blocked' : 'escrow.unconfirmed')
}

/** Codes for orders that the service cannot execute, even if they are signed again. */
const BLOCKED: ReadonlySet<string> = new Set([
  'recipient_transfer_restricted',
  'escrow_multiple_payment_pairs',
  'escrow_safe_mismatch',
])

function explain(data: Data, error: unknown): readonly Node[] {
  const { phrase, values } = isWalletError(error) ? error : toWalletError(error)
  return setText(data, phrase, values)
}
