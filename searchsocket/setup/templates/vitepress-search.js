// Search in the navigation bar. $written
import { h } from 'vue';
import './components.js';
import './search.css';

export const search = () => h('searchsocket-dialog', { $properties });
