import { type Html, html } from '../../shared/runtime/html.ts'
import { renderIcon } from './icons.ts'
import type { Product } from './products.ts'
import type { Checkout } from './project.ts'
import type { Translator } from './translate.ts'

/** Renders the products for a phone: collapsed, so that they do not push the payment down. */
export function renderProductDetails({ products }: Checkout, words: Translator): Html | null {
  if (products.length === 0) return null
  return html`<details class="items fold" id="items"><summary>${words.say('products.title')} ${renderIcon('down')}</summary>${renderList(products)}</details>`
}

/** Renders the products for a wide page. Every page contains both forms, and the style sheet shows one. */
export function renderProductList({ products }: Checkout, words: Translator): Html | null {
  if (products.length === 0) return null
  return html`<div class="items wide"><h2 class="unseen">${words.say('products.title')}</h2>${renderList(products)}</div>`
}

function renderList(products: readonly Product[]): Html {
  const isPictured = products.some(({ imageUrl }) => imageUrl !== null)
  const entries = products.map(({ name, quantity, imageUrl }) => {
    const text = html`<span>${quantity === null ? null : `${quantity} × `}<bdi>${name}</bdi></span>`
    return html`<li>${isPictured ? renderPicture(imageUrl) : null}${text}</li>`
  })
  return html`<ul role="list">${entries}</ul>`
}

/**
 * Renders a product's picture, which is decorative, because the name is next to it. The host of the picture does not
 * learn the page's URL.
 */
function renderPicture(url: string | null): Html {
  if (url === null) return html`<span class="none"></span>`
  return html`<img src="${url}" alt="" width="40" height="40" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
}
