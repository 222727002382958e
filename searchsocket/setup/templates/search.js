// Search on every page: a button, Ctrl+K and /. Your own <searchsocket-dialog>, as in your header, replaces it.
// $written
import './components.js';

if (!document.querySelector('searchsocket-dialog, searchsocket-box')) {
  const dialog = document.createElement('searchsocket-dialog');
$script
  dialog.style.cssText = '$place';
  document.body.append(dialog);
}
