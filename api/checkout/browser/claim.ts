import type { ClaimPageData } from '../page-data.ts'
import { callWallet, connect, getErrorMessage } from './call-wallet.ts'
import { button, element, nameWallet, readClaimPageData, setText } from './page.ts'
import { isWalletError } from './wallet-error.ts'
import { findWallets, type Wallet } from './wallets.ts'

const page = readClaimPageData(document)
const form = document.querySelector<HTMLFormElement>('#claim')
const proof = document.querySelector<HTMLElement>('#proof')
const place = document.querySelector<HTMLElement>('#wallet')
if (page !== null && form !== null && proof !== null && place !== null) start(page, { form, proof, place })

type Places = {
  readonly form: HTMLFormElement
  readonly proof: HTMLElement
  readonly place: HTMLElement
}

/** Adds a button for each wallet of this browser with which the payer can prove that the address is theirs. */
function start(data: ClaimPageData, { form, proof, place }: Places): void {
  const status = element('p', { className: 'note', hidden: true })
  status.setAttribute('role', 'status')
  const buttons = element('div', { className: 'wallets' })
  place.append(buttons, status)
  const show = (wallet: Wallet) => {
    const text = setText(data, 'claim.prove', { wallet: nameWallet(data, wallet) })
    return button(
      text,
      async () => {
        const nodes = await prove(data, wallet, form)
        status.replaceChildren(element('span', {}, ...nodes))
        status.hidden = nodes.length === 0
      },
      'sec',
    )
  }
  findWallets((wallets) => {
    const able = wallets.filter(({ family }) => family === data.family)
    proof.hidden = able.length === 0
    buttons.replaceChildren(...able.map(show))
  })
}

/**
 * Requests a signature of the claim from a wallet, and submits the form with the signature. Requests neither a
 * transaction nor another network. Returns the error message to show, empty after success.
 */
async function prove(
  data: ClaimPageData,
  { provider }: Wallet,
  form: HTMLFormElement,
): Promise<readonly Node[]> {
  try {
    const signer = await connect(provider)
    const params = [signer, JSON.stringify(data.typedData)]
    const signature = String(await callWallet(provider, 'eth_signTypedData_v4', params))
    setField(form, 'signer', signer)
    setField(form, 'signature', signature)
    form.submit()
    return []
  } catch (error) {
    if (isWalletError(error) && error.phrase !== 'script.error')
      return setText(data, error.phrase, error.values)
    const message = isWalletError(error) ? String(error.values['message']) : getErrorMessage(error)
    return setText(data, 'script.unsigned', { message })
  }
}

function setField(form: HTMLFormElement, name: string, value: string): void {
  const field = form.elements.namedItem(name)
  if (field instanceof HTMLInputElement) field.value = value
}
