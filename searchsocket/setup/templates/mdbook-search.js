// Search in the menu bar. $written
import './components.js';

const style = document.createElement('style');
style.textContent = `
searchsocket-dialog {
$style
  align-self: center;
}
searchsocket-dialog::part(button) {
  min-inline-size: 44px;
  justify-content: center;
  background: none;
  border: 0;
  color: var(--icons);
}
searchsocket-dialog::part(label),
searchsocket-dialog::part(keys) {
  position: absolute;
  clip-path: inset(50%);
}
`;
const dialog = document.createElement('searchsocket-dialog');
$script
document.head.append(style);
document.querySelector('.left-buttons')?.append(dialog);
